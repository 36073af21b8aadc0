"""Which share of instruction-injection lines the guard quarantines.

    python -m tests.evals.bipia PATH [--missed]

PATH is a JSON object of category to lines, as in microsoft/BIPIA's attack files.
"""

import argparse
import json
from pathlib import Path

from tributary.domain.guard import screen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--missed", action="store_true", help="print the lines that passed")
    options = parser.parse_args()
    found_all = lines_all = 0
    for category, lines in json.loads(options.path.read_text(encoding="utf-8")).items():
        missed = [line for line in lines if not screen(line).quarantined]
        found, lines_all = len(lines) - len(missed), lines_all + len(lines)
        found_all += found
        print(f"{category:34} {found:4} of {len(lines):4}")
        for line in missed if options.missed else ():
            print(f"    {line!r}")
    print(f"{'all':34} {found_all:4} of {lines_all:4}  {found_all / lines_all:6.1%}")


if __name__ == "__main__":
    main()
