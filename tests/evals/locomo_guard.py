"""Which share of ordinary conversation turns the guard quarantines, all of them wrongly.

    python -m tests.evals.locomo_guard PATH [--found]

PATH is a JSON list of conversations, each with `turns` that have a `text`.
"""

import argparse
import json
from pathlib import Path

from tributary.domain.guard import screen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--found", action="store_true", help="print the turns that were stopped")
    options = parser.parse_args()
    conversations = json.loads(options.path.read_text(encoding="utf-8"))
    turns = [turn["text"] for one in conversations for turn in one["turns"]]
    found = [(turn, result) for turn in turns if (result := screen(turn)).quarantined]
    print(f"quarantined {len(found)} of {len(turns)} turns  {len(found) / len(turns):6.2%}")
    for turn, result in found if options.found else ():
        print(f"    {result.reason}: {turn!r}")


if __name__ == "__main__":
    main()
