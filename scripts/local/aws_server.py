# ruff: noqa: SLF001 -- there is no public way, see below
"""The local AWS (ministack), with functions that behave as on Lambda.

Run as `python -m scripts.local.aws_server`, configured by ministack's environment variables.

ministack 1.5 runs Python functions as warm processes, but unlike Lambda and Step Functions it

- names every error `Runtime.HandlerError`, so that no `ErrorEquals` of a class name matches;
- ends the process after an error, so that each expected error costs a cold start;
- starts as many processes as there are callers, which no laptop bears: Lambda has room for
  them, here a caller waits for one of a few environments;
- ignores `JitterStrategy`, so that all who wait for the same thing come back at once;
- keeps the answer of a function that logs nothing back for 50 ms, to wait for its logs;
- imports botocore into every function (0.4 s of processor time), to count recursive calls.

These are mended here, on its internals: tests/statemachines pins each, and this module
refuses to start on a version in which they moved.
"""

import random
import sys
import threading
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

# Any, because ministack has no types.
lambda_runtime: Any = import_module("ministack.core.lambda_runtime")
lambda_svc: Any = import_module("ministack.services.lambda_svc")
stepfunctions: Any = import_module("ministack.services.stepfunctions")

_RAISED = "__raised__"
_THEIRS = '{"status": "error", "error": str(e), "trace": traceback.format_exc()}'
_COUNTING = "    _ms_install_invoke_depth()\n"
_OURS = (
    f'{{"status": "ok", "result": {{"{_RAISED}": {{"errorType": type(e).__name__, '
    '"errorMessage": str(e), "stackTrace": traceback.format_exc().splitlines()}}}'
)

# Environments at once. Each costs up to a second of processor time to start, and those that
# embed 260 MB of memory; more than two gain nothing on two cores.
# `learn` only waits for its workflow.
_LIMITS: Mapping[str, int] = {"learn": 8}  # by the last part of the function's name
_LIMIT = 2
# Seconds to wait for the first line of a call's logs, for the next one, and for all.
_LOG_WAITS = (0.003, 0.003, 0.25)

Result = dict[str, Any]


def main() -> None:
    mend()
    import_module("ministack.app").main()


def mend() -> None:
    """Make the differences go away; exits when ministack is not as expected."""
    script = lambda_runtime._PYTHON_WORKER_SCRIPT
    if not (script.count(_THEIRS) == 1 == script.count(_COUNTING)):
        sys.exit("ministack is not the version of requirements/dev.txt: run make clean, then again")
    lambda_runtime._PYTHON_WORKER_SCRIPT = script.replace(_THEIRS, _OURS).replace(_COUNTING, "")
    lambda_svc._execute_function_warm = _as_on_lambda(lambda_svc._execute_function_warm)
    lambda_runtime.Worker._drain_stderr_bounded.__defaults__ = _LOG_WAITS
    stepfunctions._scaled_sleep = _with_full_jitter(stepfunctions._scaled_sleep)


def _as_on_lambda(execute: Callable[..., Result]) -> Callable[..., Result]:
    """Wait for an environment, run, and tell errors by their names."""

    def executed(func: Mapping[str, Any], event: object, request_id: str) -> Result:
        config = func.get("config") or func
        with _environments(str(config.get("FunctionName", ""))):
            result = execute(func, event, request_id)
        return _told_by_name(result)

    return executed


@cache
def _environments(function_name: str) -> threading.BoundedSemaphore:
    return threading.BoundedSemaphore(_LIMITS.get(function_name.rpartition("-")[2], _LIMIT))


def _told_by_name(result: Result) -> Result:
    body = result.get("body")
    if not isinstance(body, dict) or _RAISED not in body:
        return result
    raised = body[_RAISED]
    log = "\n".join([result.get("log", ""), *raised["stackTrace"]]).strip()
    return {"body": raised, "error": True, "log": log}


def _with_full_jitter(wait: Callable[[float], None]) -> Callable[[float], None]:
    """Every Retry of ours asks for full jitter: anything from no wait to the whole interval."""
    return lambda seconds: wait(random.uniform(0, seconds))  # noqa: S311 -- nothing secret


if __name__ == "__main__":
    main()
