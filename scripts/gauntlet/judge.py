"""What the shifts show, and what they fail to show."""

from collections.abc import Sequence

from scripts.gauntlet.journal import counted
from scripts.gauntlet.personas import CONTROL
from scripts.gauntlet.results import ShiftResult


def statement(results: Sequence[ShiftResult]) -> str:
    """The outcome in one plain sentence."""
    steps = {result.agent: result.steps for result in results}
    if "agent-c" in steps:
        (result,) = results
        lessons = counted(len(result.helped), "lesson")
        return f"agent-c took {counted(result.steps, 'step')} and was helped by {lessons}"
    return (
        f"agent-b took {steps['agent-b']} steps, agent-a {steps['agent-a']},"
        f" control {steps[CONTROL]}"
    )


def shortcomings(results: Sequence[ShiftResult]) -> tuple[str, ...]:
    """What keeps the results from showing that shared memory helps."""
    by_name = {result.agent: result for result in results}
    faults = [f"{one.agent} left tasks undone" for one in results if one.solved < len(one.tasks)]
    faults += [
        f"{one.agent} had no answer from Tributary {one.troubles} times"
        for one in results
        if one.troubles
    ]
    pupil = by_name.get("agent-b") or by_name["agent-c"]
    if not pupil.helped:
        faults.append(f"{pupil.agent} was helped by no lesson")
    for name in ("agent-a", CONTROL):
        if name in by_name and by_name[name].steps <= pupil.steps:
            faults.append(f"{pupil.agent} took no fewer steps than {name}")
    if "agent-a" in by_name and not set(pupil.helped) <= set(by_name["agent-a"].learnt):
        faults.append(f"{pupil.agent} was helped by lessons that agent-a did not learn in this run")
    return tuple(faults)
