"""Many processes at once, over HTTPS."""

import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from tests.e2e.conftest import ROOT

LEARNERS = 25
LEARNER = """
import json, sys, urllib.request
url, key, content = sys.argv[1:]
request = urllib.request.Request(
    url + "/v1/learn", json.dumps({"content": content}).encode(),
    {"authorization": "Bearer " + key, "content-type": "application/json"},
)
print("ready", flush=True)
sys.stdin.readline()
with urllib.request.urlopen(request, timeout=60) as answer:
    print(answer.read().decode())
"""


def learn_together(url, key, contents):
    """Each content learnt by a process of its own; they start together."""
    learners = [
        subprocess.Popen(
            [sys.executable, "-c", LEARNER, url, key, content],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for content in contents
    ]
    for learner in learners:
        assert learner.stdout.readline() == "ready\n"
    for learner in learners:
        learner.stdin.write("go\n")
        learner.stdin.flush()
    with ThreadPoolExecutor(len(learners)) as pool:
        ended = list(pool.map(lambda learner: learner.communicate(timeout=120), learners))
    return [json.loads(output) for output, _ in ended]


def test_25_contradicting_processes_leave_one_truth_and_get_true_answers(tribe, capsys):
    contents = [f"The billing API listens on port {7000 + number}." for number in range(LEARNERS)]
    url, key = tribe.deployment.api_url, tribe.key("ada")
    learn_together(url, key, ["Clear the cache first.", "Deploys happen on Tuesday."])  # warm
    answers = learn_together(url, key, contents)
    history = tribe.curator.get(f"/v1/lessons/{answers[0]['lesson_id']}/history").json()
    chain = {one["id"]: one for one in history["chain"]}
    assert Counter(one["status"] for one in chain.values()) == {"active": 1, "superseded": 24}
    assert Counter(one["outcome"] for one in answers) == {"inserted": 1, "superseded": 24}
    for content, answer in zip(contents, answers, strict=True):
        lesson = chain[answer["lesson_id"]]
        assert (lesson["content"], lesson["supersedes"]) == (content, answer["target_id"])
        if answer["target_id"]:
            assert chain[answer["target_id"]]["superseded_by"] == lesson["id"]
    decisions = [tribe.curator.get(f"/v1/decisions/{one['decision_id']}").json() for one in answers]
    rounds, retries = (Counter(one[what] for one in decisions) for what in ("rounds", "retries"))
    assert max(rounds) <= 3
    with capsys.disabled():
        print(f"\n25 contradicting learns: rounds {dict(rounds)}, retries {dict(retries)}")


def test_a_lesson_is_recalled_right_after_it_is_learnt(found):
    """500 times, in four tribes side by side; learn and recall are different functions."""

    def follow(tribe):
        missed = []
        for number in range(125):
            content = f"Ticket {number} was closed by worker {number * 7919 % 1009}."
            learned = tribe.curator.post("/v1/learn", json={"content": content})
            lesson_id = learned.json()["lesson_id"]
            recalled = tribe.curator.post("/v1/recall", json={"query": content, "k": 5})
            if lesson_id not in [one["id"] for one in recalled.json()["lessons"]]:
                missed.append((learned.json(), recalled.json()))
        return missed

    tribes = [found() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert [missed for missed in pool.map(follow, tribes) if missed] == []
