"""The embedding model: is it the one that the lessons were embedded by, and how fast is it?"""

import math
from statistics import median
from time import perf_counter
from uuid import uuid4

from tributary.adapters.embedding.vector import DIMENSIONS
from tributary.doctor.door import Door, Tick
from tributary.doctor.golden import cosine, golden
from tributary.doctor.report import Check, Figures, check
from tributary.doctor.rooms import callers, rooms
from tributary.ports import Embedder

NAME = "model"
MIN_COSINE = 0.995  # to the float model; ours is quantised
UNIT = 1e-3  # how far from 1 a vector's length may be
NEAR = 0.01  # how far a similarity may be from the golden one
LEARNT = ("lesson", "unrelated", "german")  # so far from each other that each is novel
ASKED = "paraphrase"
TIMED = 50


def check_model(door: Door, tick: Tick) -> Check:
    """By its vectors where it runs here, by similarities where it runs behind an API."""
    if door.embedder is None:
        return _by_similarities(door, tick)
    return _by_vectors(door.embedder, tick)


def _by_vectors(embedder: Embedder, tick: Tick) -> Check:
    wrong, cosines = [], []
    for number, one in enumerate(golden().values()):
        tick("embedding golden texts", number, len(golden()))
        vector = embedder.embed(one.text).vector
        if len(vector) != DIMENSIONS:
            wrong.append(f"{one.name}: {len(vector)} dimensions instead of {DIMENSIONS}")
            continue
        if abs(math.hypot(*vector) - 1) > UNIT:
            wrong.append(f"{one.name}: the vector's length is {math.hypot(*vector):.4f}, not 1")
        cosines.append(cosine(vector, one.vector))
        if cosines[-1] < MIN_COSINE:
            wrong.append(f"{one.name}: cosine {cosines[-1]:.4f} to the golden vector"
                         f" is below {MIN_COSINE}")  # fmt: skip
    if wrong:
        wrong.append(f"{embedder.model} is not the shipped model: build it with `make model`")
    speed = _milliseconds(embedder)
    least = min(cosines, default=0.0)
    figures: Figures = {
        "model": embedder.model,
        "min_cosine": round(least, 5),
        "dimensions": DIMENSIONS,
        "median_ms": round(speed, 2),
    }
    result = f"least cosine {least:.4f}; {speed:.1f} ms a short text (median)"
    return check(NAME, f"{len(golden())} golden texts embedded", result, wrong, figures)


def _milliseconds(embedder: Embedder) -> float:
    """The median of TIMED embeddings of one short text."""
    text = golden()[ASKED].text
    taken = []
    for _ in range(TIMED):
        began = perf_counter()
        embedder.embed(text)
        taken.append(perf_counter() - began)
    return median(taken) * 1000


def _by_similarities(door: Door, tick: Tick) -> Check:
    known, wrong, differences = golden(), [], [0.0]
    with rooms(door, 1) as (room,), callers(room) as (caller,):
        ids = {}
        for number, name in enumerate(LEARNT):
            tick("learning golden texts", number, len(LEARNT))
            ids[caller.learn(known[name].text, str(uuid4())).lesson_id] = known[name]
        began = perf_counter()
        recalled = caller.recall(known[ASKED].text, len(LEARNT))
        speed = (perf_counter() - began) * 1000
    for lesson in recalled:
        one = ids.pop(lesson.id)
        wanted = cosine(known[ASKED].vector, one.vector)
        differences.append(abs(lesson.similarity - wanted))
        if differences[-1] > NEAR:
            wrong.append(f"{one.name}: similarity {lesson.similarity:.3f}, not {wanted:.3f}")
    wrong += [f"{one.name}: was learnt, and is not recalled" for one in ids.values()]
    if wrong:
        wrong.append("the deployed model is not the shipped one: build and deploy again")
    figures = {"max_difference": round(max(differences), 5), "recall_ms": round(speed, 1)}
    result = f"similarities differ by {max(differences):.4f} at the most; {speed:.0f} ms a recall"
    done = f"{len(LEARNT)} golden texts learnt, one recalled"
    return check(NAME, done, result, wrong, figures)
