"""How long an editor waits for findings: `python -m benchmarks.speed.latency`.

A project is generated, the real server is started on it, and a file of it is typed in as an editor does. Measured is
the time from a change to the first findings of that text, and to the findings that the change brings up or takes away
in another open file, for which the project must be linked again. Both include the pauses that the server waits for.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.speed.generated_project import HELPER, edited, write_project
from benchmarks.speed.machine import machine

_PATIENCE = 120.0
"""Seconds to wait for findings."""
_REST = 1.0
"""Seconds between two changes, in which the server becomes idle."""


@dataclass(frozen=True, slots=True)
class Latencies:
    """One run. Times are in seconds."""

    first: list[float]
    """From a change to the findings of the changed file."""
    linked: list[float]
    """From a change to the findings of the other open file."""
    cpu: float
    """What the server computed for one change, in seconds of CPU time."""
    opened: float
    """From opening the file in a project of which nothing is known."""
    load: float
    """How many processes of the machine wanted to run, on average over the last minute."""


class Server:
    """The server's process, and the messages that it sends."""

    def __init__(self, root: Path, caches: Path) -> None:
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        command = [sys.executable, "-m", "trainlint", "server", "--cache-dir", str(caches)]
        self.process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables)
        self._shown: queue.Queue[tuple[float, str, int | None, list[Any]] | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        folders = [{"uri": root.as_uri(), "name": root.name}]
        self._send("initialize", {"processId": None, "capabilities": {}, "workspaceFolders": folders}, number=1)
        self._send("initialized", {})

    def open(self, path: Path, text: str) -> None:
        """Open a document."""
        item = {"uri": path.as_uri(), "languageId": "python", "version": 0, "text": text}
        self._send("textDocument/didOpen", {"textDocument": item})

    def change(self, path: Path, version: int, text: str) -> float:
        """Put another text into a document; when."""
        document = {"uri": path.as_uri(), "version": version}
        begun = time.perf_counter()
        self._send("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        return begun

    def shown(self) -> Iterator[tuple[float, str, int | None, list[Any]]]:
        """When findings came, of which document and version, and these. Ends the program where the server has ended."""
        while (found := self._shown.get(timeout=_PATIENCE)) is not None:
            yield found
        raise SystemExit(f"trainlint server ended with code {self.process.wait()}; what it said stands above")

    def cpu(self) -> float:
        """Seconds of CPU time that the process has used until now."""
        words = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        """Leave the server."""
        self._send("shutdown", None, number=2)
        self._send("exit", None)
        self.process.wait(timeout=_PATIENCE)

    def _send(self, method: str, params: object, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        data = json.dumps(message if number is None else {**message, "id": number}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self.process.stdin.flush()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            size = int(header.partition(b":")[2])
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(size))
            if message.get("method") == "textDocument/publishDiagnostics":
                found = message["params"]
                self._shown.put((time.perf_counter(), found["uri"], found.get("version"), found["diagnostics"]))
        self._shown.put(None)


@dataclass
class _Watch:
    """Waits for what the server shows."""

    server: Server
    latest: dict[str, tuple[float, int | None, list[Any]]] = field(default_factory=dict)

    def until(self, uri: str, version: int | None, findings: bool | None = None) -> float:
        """When the findings of a version came, of which there are some, none, or any number."""
        for at, shown, number, found in self.server.shown():
            self.latest[shown] = (at, number, found)
            if shown == uri and number == version and findings in (None, bool(found)):
                return at
        raise AssertionError("the server never ends to show")


def measure(root: Path, caches: Path, lines: int, edits: int) -> Latencies:
    """Type in the large file of a generated project."""
    large, helper = root / "large.py", root / HELPER
    text = large.read_text(encoding="utf-8")
    server = Server(root, caches)
    watch = _Watch(server)
    begun = time.perf_counter()
    server.open(large, text)
    opened = watch.until(large.as_uri(), 0) - begun
    server.open(helper, helper.read_text(encoding="utf-8"))
    watch.until(helper.as_uri(), 0)
    first, linked = [], []
    time.sleep(_REST)
    before = server.cpu()
    for number in range(1, edits + 1):
        heated = number % 2 == 1
        changed = server.change(large, number, edited(text, number, heated=heated))
        at = watch.until(large.as_uri(), number)
        first.append(at - changed)
        linked.append(watch.until(helper.as_uri(), 0, findings=heated) - changed)
        time.sleep(_REST)
    cpu = (server.cpu() - before) / edits
    server.end()
    return Latencies(first, linked, cpu, opened, os.getloadavg()[0])


def table(runs: Sequence[Latencies]) -> str:
    """The runs in Markdown."""
    rows = [
        "| run | changed file: median | 95th percentile | another open file: median | 95th percentile "
        "| CPU of the server for a change | first opening | load |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for number, run in enumerate(runs, 1):
        times = (median(run.first), _percentile(run.first), median(run.linked), _percentile(run.linked), run.cpu)
        cells = [str(number), *(f"{1000 * each:.0f} ms" for each in times), f"{run.opened:.1f} s", f"{run.load:.1f}"]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _percentile(times: Sequence[float]) -> float:
    return quantiles(times, n=20, method="inclusive")[-1]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.latency", description=__doc__)
    for name, default in (("files", 500), ("lines", 1000), ("edits", 30), ("runs", 3)):
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help="default: %(default)s")
    arguments = parser.parse_args(argv)
    runs = []
    for _ in range(arguments.runs):
        with tempfile.TemporaryDirectory(prefix="trainlint-latency-") as place:
            root = write_project(Path(place, "project"), arguments.files, arguments.lines)
            runs.append(measure(root, Path(place, "caches"), arguments.lines, arguments.edits))
    size = f"{arguments.lines:,} lines in {arguments.files} files, {arguments.edits} changes"
    sys.stdout.write(f"{size}. {machine()}.\n\n")
    sys.stdout.write(f"{table(runs)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
