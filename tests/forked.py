"""The program in a process of its own that need not start Python: a fork of one that has imported all of trainlint.

Starting Python and importing trainlint takes ten times as long as judging a small file. `Forks` starts one process that
imports trainlint and waits. For each run it forks, and the fork is given a directory, variables and standard streams.
So each run has modules, signals, limits and an exit code of its own, as if the program had been started.

What a fork cannot show: what Python itself does as it starts (its options and variables, `sys.path`), and what is
imported. Tests of these start the real program.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
AVAILABLE = sys.platform == "linux"
"""Elsewhere, forks of a process that has imported much are slow or unsafe."""
_NOT_IMPORTED = ("trainlint.__main__",)
_FROM_LIBRARIES = ("libcst.metadata", "multiprocessing.pool", "rich.console", "sqlite3")
"""What parts of the program import when they first need it."""
_READ_AT_START = ("PYTHON", "LC_", "LANG")
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


def run(
    arguments: Sequence[str],
    directory: Path,
    environment: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout: float = 120,
) -> subprocess.CompletedProcess[bytes]:
    """Run `trainlint` with these arguments, as `subprocess.run` does: its variables are those of this process unless
    others are given. A fork does it where it can. Raises TimeoutError or subprocess.TimeoutExpired."""
    variables = dict(os.environ if environment is None else environment)
    command = [sys.executable, "-m", "trainlint", *arguments]
    if not fits(variables):
        return subprocess.run(
            command, cwd=directory, env=variables, input=stdin, capture_output=True, check=False, timeout=timeout
        )
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        forks().start(arguments, directory, variables, [given.fileno(), out.fileno(), err.fileno()])
        code = forks().wait(timeout)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, code, out.read(), err.read())


def run_text(
    arguments: Sequence[str], directory: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The same with its output as text."""
    done = run(arguments, directory, environment)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def fits(variables: Mapping[str, str]) -> bool:
    """Whether a fork may stand for a process with these variables: Python reads some as it starts."""
    return AVAILABLE and _read_at_start(os.environ) == _read_at_start(variables)


def _read_at_start(variables: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value for name, value in variables.items() if name.startswith(_READ_AT_START) and name != _NO_BYTECODE
    }


@cache
def forks() -> Forks:
    """One for this process, started when it is first needed."""
    return Forks()


def stop() -> None:
    """End the process that forks, if there is one."""
    if forks.cache_info().currsize:
        forks().stop()
        forks.cache_clear()


class Forks:
    """A process that has imported trainlint, and forks for each run."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "tests.forked", str(theirs.fileno())]
        self._process = subprocess.Popen(command, cwd=REPOSITORY, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()
        self._socket = ours
        self._answers = ours.makefile("rb", buffering=0)
        self._running = 0

    def start(
        self, arguments: Sequence[str], directory: Path, environment: Mapping[str, str], streams: Sequence[int]
    ) -> None:
        """Start a run whose standard streams are these three file descriptors. It must end before the next one."""
        request = json.dumps([list(arguments), str(directory), dict(environment)]).encode()
        self._socket.sendall(len(request).to_bytes(4, "big"))
        socket.send_fds(self._socket, [request[:1]], list(streams))
        self._socket.sendall(request[1:])
        self._running = int(self._answers.readline())

    def wait(self, timeout: float) -> int:
        """The exit code of the run, when it has ended. Raises TimeoutError where it does not end, after ending it."""
        if select.select([self._socket], [], [], timeout)[0]:
            return int(self._answers.readline())
        os.kill(self._running, signal.SIGKILL)
        self._answers.readline()
        raise TimeoutError(f"the program did not end within {timeout:.0f} seconds")

    def stop(self) -> None:
        """Let the process end, and wait for it."""
        self._answers.close()
        self._socket.close()
        self._process.wait()


def _serve(connection: socket.socket) -> list[str] | None:
    """Fork for each request. Returns the arguments in each fork, and None in the end."""
    while length := connection.recv(4, socket.MSG_WAITALL):
        first, descriptors, _, _ = socket.recv_fds(connection, 1, 3)
        rest = connection.recv(int.from_bytes(length, "big") - 1, socket.MSG_WAITALL)
        arguments, directory, environment = json.loads(first + rest)
        child = os.fork()
        if not child:
            connection.close()
            _become(directory, environment, descriptors)
            return list(arguments)
        for descriptor in descriptors:
            os.close(descriptor)
        connection.sendall(b"%d\n" % child)
        connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return None


def _become(directory: str, environment: Mapping[str, str], descriptors: Sequence[int]) -> None:
    """Give this process what a process that is started gets."""
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    sys.dont_write_bytecode = bool(environment.get(_NO_BYTECODE))
    sys.path.insert(0, directory)  # as `python -m` does
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        descriptor = ("stdin", "stdout", "stderr").index(name)
        errors = "backslashreplace" if name == "stderr" else "strict"
        setattr(sys, name, open(descriptor, mode, encoding="utf-8", errors=errors, closefd=False))  # noqa: SIM115 - they stay open


def _import_all() -> None:
    import trainlint
    import trainlint_rules

    for package in (trainlint, trainlint_rules):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name not in _NOT_IMPORTED:
                importlib.import_module(module.name)
    for name in _FROM_LIBRARIES:
        importlib.import_module(name)


def _main() -> None:
    import gc

    from trainlint.cli import main

    connection = socket.socket(fileno=int(sys.argv[1]))
    sys.path.pop(0)  # the working directory
    _import_all()
    gc.freeze()  # so that no fork looks through what all of them share
    arguments = _serve(connection)
    if arguments is not None:
        sys.argv[1:] = arguments
        _end(main)


def _end(program: Callable[[], int]) -> None:
    """Run it and end as Python does, but for taking apart all that was imported, which takes longer than most runs."""
    try:
        code: object = program()
    except SystemExit as end:
        code = end.code
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    _main()
