"""Conversations of LoCoMo (snap-research/locomo) as a corpus, with evidence for each question.

`python -m scripts.bench.locomo FILE` measures Tributary alone; `make bench` all systems.

A file is a JSON list of `{"id", "turns": [{"id", "speaker", "text"}], "questions": [{"question",
"evidence": [turn ids]}]}`. One conversation is one tenant, one turn one lesson: "speaker: text".
"""

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from scripts.bench import server
from scripts.bench.corpus import Corpus, Question
from scripts.bench.machine import ROOT
from scripts.bench.measures import K, search
from scripts.bench.systems.base import Lesson
from scripts.bench.systems.tributary_memory import Tributary
from tributary.adapters.embedding.onnx import OnnxEmbedder
from tributary.domain.lesson import MAX_CONTENT, clean_text

CACHE = ROOT / ".build" / "bench-vectors"
TENANTS = 10  # conversations are repeated under other names up to so many

Given = Mapping[str, Sequence[float]]


def load(path: Path, cache: Path = CACHE) -> Corpus:
    """The corpus of the file; vectors of this very file are kept in the folder `cache`."""
    content = path.read_bytes()
    conversations = json.loads(content)
    vectors = _vectors(conversations, cache / f"{hashlib.sha256(content).hexdigest()[:16]}.npz")
    return build(conversations, vectors)


def build(conversations: Sequence[dict[str, Any]], vectors: Given) -> Corpus:
    """Lessons and questions; a question counts once, its tenant's copies have none."""
    lessons: list[Lesson] = []
    for number in range(max(TENANTS, len(conversations))):
        again, index = divmod(number, len(conversations))
        conversation = conversations[index]
        tenant = _tenant(conversation) + (f"-again-{again}" if again else "")
        texts = dict.fromkeys(_turns(conversation).values())
        lessons += [Lesson(tenant, text, vectors[text]) for text in texts]
    asked = [one for conversation in conversations for one in _questions(conversation, vectors)]
    return Corpus("LoCoMo", tuple(lessons), tuple(asked))


def share_found(question: Question, found: Sequence[str]) -> float:
    """Of the question's evidence, the share among the texts found."""
    return len(question.evidence & set(found)) / len(question.evidence)


def evidence_recall(questions: Sequence[Question], found: Sequence[Sequence[str]]) -> float:
    """The mean share over the questions that have evidence."""
    pairs = zip(questions, found, strict=True)
    return mean(share_found(question, texts) for question, texts in pairs if question.evidence)


def _tenant(conversation: dict[str, Any]) -> str:
    return str(conversation["id"]).replace("_", "-").replace(".", "-")


def _turns(conversation: dict[str, Any]) -> dict[str, str]:
    """Texts by turn id; a turn without text has none."""
    return {
        turn["id"]: _clean(f"{turn['speaker']}: {turn['text']}")
        for turn in conversation["turns"]
        if turn["text"].strip()
    }


def _questions(conversation: dict[str, Any], vectors: Given) -> Iterator[Question]:
    turns = _turns(conversation)
    for asked in conversation["questions"]:
        evidence = frozenset(turns[turn] for turn in asked["evidence"] if turn in turns)
        text = _clean(asked["question"])
        yield Question(_tenant(conversation), text, vectors[text], evidence)


def _clean(text: str) -> str:
    return clean_text(text, "content", MAX_CONTENT)


def _vectors(conversations: Sequence[dict[str, Any]], cache: Path) -> dict[str, list[float]]:
    texts: dict[str, None] = {}
    for conversation in conversations:
        texts |= dict.fromkeys(_turns(conversation).values())
        texts |= dict.fromkeys(_clean(one["question"]) for one in conversation["questions"])
    if not cache.exists():
        embedder = OnnxEmbedder.load()
        made = [embedder.embed(text).vector for text in track(texts, "Embedding LoCoMo")]
        cache.parent.mkdir(parents=True, exist_ok=True)
        np.savez(cache, vectors=np.array(made, np.float32))
    return dict(zip(texts, np.load(cache)["vectors"].tolist(), strict=True))


def main() -> None:
    """Learn every turn, ask every question, and print the evidence recall of each conversation."""
    corpus = load(Path(sys.argv[1]))
    table = Table("conversation", "turns", "questions", f"recall@{K}")
    asked: list[Question] = []
    found: list[tuple[str, ...]] = []
    with server.running() as running:
        system = Tributary(running.place("locomo"))
        system.open()
        for tenant in dict.fromkeys(one.tenant for one in corpus.questions):
            own = [lesson for lesson in corpus.lessons if lesson.tenant == tenant]
            for lesson in track(own, tenant, transient=True):
                system.add([lesson])
            about = [one for one in corpus.questions if one.tenant == tenant and one.evidence]
            texts = search(system, about).found
            recalled = evidence_recall(about, texts)
            table.add_row(tenant, str(len(own)), str(len(about)), f"{recalled:.3f}")
            asked += about
            found += texts
        system.close()
    table.add_row("all", "", str(len(asked)), f"{evidence_recall(asked, found):.3f}", style="bold")
    Console().print(table)


if __name__ == "__main__":
    main()
