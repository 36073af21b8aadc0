"""How often ordinary conversation is taken for a contradiction or a repetition, all of it wrongly.

    python -m tests.evals.locomo_labels PATH [--wrong]

PATH is a JSON list of conversations, each with `turns` that have `at`, `session`, `speaker` and
`text`. Every turn is compared with the eight earlier turns that share most of its words, in each
of the forms that an agent might note it down in. Turns repeated word by word are left out.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from tributary.adapters.classify.heuristic import classify
from tributary.adapters.classify.tokens import normal_form

NEAREST = 8
FORMS = (
    "{text}",
    "{speaker}: {text}",
    "[{at}] {speaker}: {text}",
    '({at}) {speaker} said: "{text}"',
    "{text} \u2014 {speaker}",
    "Session {session}, {speaker}: {text}",
    "Q: What did {speaker} say? A: {text}",
    "user: {text}",
    "Note: {text}",
    "TODO: {text}",
    "Lesson {number}: {text}",
    "build - {text}",
    "[deploy] {text}",
    "- **{speaker}:** {text}",
    "Status: {text}",
)


@dataclass(frozen=True)
class Turn:
    id: UUID
    content: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--wrong", action="store_true", help="print the pairs that were wrong")
    options = parser.parse_args()
    conversations = json.loads(options.path.read_text(encoding="utf-8"))
    cases = [case for one in conversations for case in nearest(one["turns"])]
    for form in FORMS:
        wrong = [pair for new, old in cases if (pair := taken_wrongly(form, new, old)) is not None]
        print(f"{len(wrong):5} of {len(cases)}  {len(wrong) / len(cases):6.2%}  {form}")
        for older, newer in wrong if options.wrong else ():
            print(f"    {older!r}\n    {newer!r}")


def nearest(turns: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """Each turn with the earlier ones that share most of its words."""
    numbered = [{**turn, "number": at} for at, turn in enumerate(turns, 1) if turn["text"]]
    words = [set(re.findall(r"\w+", turn["text"].lower())) for turn in numbered]
    for at in range(1, len(numbered)):
        share = [len(words[at] & other) / (len(words[at] | other) or 1) for other in words[:at]]
        ranked = sorted(range(at), key=share.__getitem__, reverse=True)
        yield numbered[at], [numbered[other] for other in ranked[:NEAREST]]


def taken_wrongly(
    form: str, new: dict[str, Any], olds: Sequence[dict[str, Any]]
) -> tuple[str, str] | None:
    known = [
        Turn(UUID(int=old["number"]), form.format(**old))
        for old in olds
        if normal_form(old["text"]) != normal_form(new["text"])
    ]
    content = form.format(**new)
    verdict = classify(content, known)
    older = next((one.content for one in known if one.id == verdict.target_id), None)
    return None if older is None else (older, content)


if __name__ == "__main__":
    main()
