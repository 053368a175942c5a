"""`python -m trainlint_probe.child [--module] SCRIPT ARGUMENT...`: runs a user's script under watch.

Its settings stand in one environment variable (`trainlint_probe.child_settings`). The script runs as it would alone;
when the window of steps has closed, the evidence is written and the process ends.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import NoReturn

from trainlint.evidence.as_json import Damaged
from trainlint_probe import child_processes, script
from trainlint_probe.child_settings import from_environment
from trainlint_probe.command import without_secrets
from trainlint_probe.compared import edited
from trainlint_probe.recorder import Recorder
from trainlint_probe.wording.errors import exit_in_words

WRONG_USAGE = 2
_INTERRUPTED = 130
_OWN = str(Path(__file__).parent) + os.sep


def main(words: Sequence[str]) -> NoReturn:
    """Run the script. Its exit code becomes ours."""
    is_module = bool(words) and words[0] == "--module"
    words = words[1:] if is_module else words
    try:
        if not words:
            raise script.NoScript("Name the script to run.")
        orders = from_environment(os.environ)
        edited.install_ordered(orders.edits, orders.moved)
        found = script.find(words[0], module=is_module)
    except (Damaged, script.NoScript) as error:
        sys.stderr.write(f"trainlint: {error}\n")
        sys.exit(WRONG_USAGE)
    shown = ("python", *(["-m"] if is_module else []), *words)
    orders = replace(orders, command=without_secrets(shown), script_directory=found.directory)
    child_processes.to_children(orders)
    recorder = Recorder(orders, started_by_the_script=False)
    recorder.start()
    exit_code = _run(found, words[1:], recorder)
    _wait_for_threads()
    recorder.finish(_outcome(recorder, exit_code), exit_code)
    recorder.saves.tidy()
    sys.exit(exit_code)


def _run(found: script.Script, arguments: Sequence[str], recorder: Recorder) -> int:
    """The script's own exit code. Its failure is shown as Python shows it, without our frames."""
    try:
        script.run(found, arguments)
    except SystemExit as stop:
        exit_code = _exit_code(stop.code)
        recorder.failure = exit_in_words(stop.code) if exit_code else ""
        return exit_code
    except KeyboardInterrupt as interrupt:
        sys.excepthook(KeyboardInterrupt, interrupt, _without_us(interrupt.__traceback__))
        return _INTERRUPTED
    except BaseException as error:  # noqa: BLE001 - whatever ends a script
        recorder.failed(error)
        faulty = faulty_watcher(error)
        error.__traceback__ = _without_us(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        if faulty:
            sys.stderr.write(
                f"trainlint: this is a fault in the probe ({faulty}), not in the script; please report it with the "
                "lines above.\n"
            )
        return 1
    return 0


def _exit_code(code: object) -> int:
    """What `sys.exit` makes of its argument."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    sys.stderr.write(f"{code}\n")
    return 1


def faulty_watcher(error: BaseException) -> str:
    """The line of the probe's own that failed, else "".

    What a watched call raises looks alike, as what is written in C leaves no frame of its own. But names that are
    not bound, and assertions, fail in Python alone.
    """
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None or not _is_ours(traceback) or not isinstance(error, (NameError, AssertionError)):
        return ""
    return f"{Path(traceback.tb_frame.f_code.co_filename).name}, line {traceback.tb_lineno}"


def _without_us(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of the probe."""
    while traceback is not None and _is_ours(traceback):
        traceback = traceback.tb_next
    here = traceback
    while here is not None:
        while here.tb_next is not None and _is_ours(here.tb_next):
            here.tb_next = here.tb_next.tb_next
        here = here.tb_next
    return traceback


def _is_ours(traceback: TracebackType) -> bool:
    return traceback.tb_frame.f_code.co_filename.startswith(_OWN)


def _wait_for_threads() -> None:
    """As Python does at its end: the training may run in one of them."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def _outcome(recorder: Recorder, exit_code: int) -> str:
    if exit_code:
        return "script failed"
    return "too short" if recorder.clock.best_candidate() is not None else "no step"


if __name__ == "__main__":
    main(sys.argv[1:])
