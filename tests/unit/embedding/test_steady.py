"""One warm process that embeds and embeds: neither its memory nor its answers' time may grow.

`TRIBUTARY_EMBEDDINGS=20000` runs it in full, for some minutes.
"""

import os
import random
import string
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from tributary.adapters.embedding.onnx import OnnxEmbedder
from tributary.domain.errors import EmbeddingFailedError

COUNT = int(os.environ.get("TRIBUTARY_EMBEDDINGS", "2000"))
SHARE = COUNT // 20  # that the first and the last are compared by: a thousand of 20,000
MAX_GROWTH_MIB = 12
MAX_RATIO = 3.0  # of medians; the machine may do something else meanwhile


def resident_mib() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("Linux says how much memory a process has")


def texts(count: int, words: int) -> Iterator[str]:
    """All different, of up to `words` words."""
    source = random.Random(50)
    for number in range(count):
        chosen = ("".join(source.choices(string.ascii_lowercase, k=5)) for _ in range(words))
        yield f"{number}: {' '.join(list(chosen)[: 1 + number % words])}"


def taken(embedder: OnnxEmbedder, texts: Iterator[str]) -> list[float]:
    seconds = []
    for text in texts:
        begun = time.perf_counter()
        embedder.embed(text)
        seconds.append(time.perf_counter() - begun)
    return seconds


def test_many_embeddings_leave_memory_and_latency_as_they_were(embedder: OnnxEmbedder) -> None:
    taken(embedder, texts(200, words=8))
    before = resident_mib()
    seconds = taken(embedder, texts(COUNT, words=8))
    assert resident_mib() - before < MAX_GROWTH_MIB
    assert median(seconds[-SHARE:]) < MAX_RATIO * median(seconds[:SHARE])


def test_lengths_that_change_all_the_time_leave_no_memory_behind(embedder: OnnxEmbedder) -> None:
    """A sibling: an arena that keeps a block for every length would grow."""
    embedder.embed("word " * 300)
    taken(embedder, texts(60, words=60))
    before = resident_mib()
    taken(embedder, texts(COUNT // 8, words=60))
    assert resident_mib() - before < MAX_GROWTH_MIB


def test_after_a_failure_it_embeds_as_before(embedder: OnnxEmbedder) -> None:
    """A sibling: what fails in a warm process leaves nothing behind."""
    wanted, before = embedder.embed("steady"), resident_mib()
    for _ in range(500):
        with pytest.raises(EmbeddingFailedError):
            embedder.embed("\ud800")
    assert embedder.embed("steady") == wanted
    assert resident_mib() - before < MAX_GROWTH_MIB
