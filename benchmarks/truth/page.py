"""`python -m benchmarks.truth.page [--check]`: writes the figures of benchmarks/truth/recorded into README and docs.

`now.json` there gives the tables of docs/accuracy.md and the sentence of README.md; the other files, each of an earlier
state of trainlint and named like it, give a row each, of the libraries that `now.json` holds; the page names the rest.
`--check` writes nothing, and ends with 1 where a page is stale.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.markers import between_markers
from benchmarks.truth.results import Library, from_data
from benchmarks.truth.table import as_markdown, summary

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).parent / "recorded"
_NOW = "now"
_ABOUT = (
    "{scripts} libraries and training scripts of repositories ran on a simulated GPU with PyTorch {torch}; "
    "[the benchmark's page](../benchmarks/truth/README.md) says what counts."
)
_LEFT_OUT = "These were not run with the present state, and are in no figure of this section: {names}."


def main(words: Sequence[str]) -> int:
    """Write, or check."""
    states = read_states()
    stale = []
    for name, content in (("docs/accuracy.md", tables(states)), ("README.md", sentence(states[_NOW]))):
        path = ROOT / name
        before = path.read_text("utf-8")
        after = between_markers(before, "truth", content)
        if after != before:
            stale.append(name)
            if "--check" not in words:
                path.write_text(after, "utf-8", newline="\n")
    sys.stdout.write("".join(f"{name} {'is stale' if '--check' in words else 'is new'}\n" for name in stale))
    return 1 if stale and "--check" in words else 0


def read_states(directory: Path = RECORDED) -> dict[str, tuple[Library, ...]]:
    """What was recorded of each state, the present one last."""
    paths = sorted(directory.glob("*.json"), key=lambda path: (path.stem == _NOW, path.stem))
    return {path.stem: from_data(json.loads(path.read_text("utf-8"))) for path in paths}


def tables(states: Mapping[str, Sequence[Library]]) -> str:
    """All tables, after one with a row for each state."""
    now = states[_NOW]
    torch = ", ".join(sorted({library.versions["torch"].partition("+")[0] for library in now}))
    rows = [f"| {name} | {' | '.join(summary(of_these(libraries, now)))} |" for name, libraries in states.items()]
    head = "| state of trainlint | lines | by default | at any level | findings confirmed |"
    overview = "\n".join([head, "| --- | ---: | ---: | ---: | ---: |", *rows])
    about = _ABOUT.format(scripts=len(now), torch=torch)
    known = {library.name for libraries in states.values() for library in libraries}
    if left_out := sorted(known - {library.name for library in now}):
        about += f" {_LEFT_OUT.format(names=', '.join(left_out))}"
    return f"{about}\n\n{overview}\n\n{as_markdown(now)}"


def of_these(libraries: Sequence[Library], others: Sequence[Library]) -> list[Library]:
    """Those that are among the others too: figures of two states can be compared for the same libraries alone."""
    names = {library.name for library in others}
    return [library for library in libraries if library.name in names]


def sentence(libraries: Sequence[Library]) -> str:
    """The figures in words: of all libraries, and of those that are only counted."""
    counted = [library for library in libraries if not library.is_development]
    lines, default, _, confirmed = summary(libraries)
    unseen, named, _, _ = summary(counted)
    judged = sum(len(library.found.judged) for library in libraries)
    return (
        f"In short trainings with {len(libraries)} libraries and scripts of repositories on a simulated GPU, "
        f"{lines} lines wait or copy in each step. "
        f"trainlint's defaults name {default} of them; of its {judged} findings on lines that ran, "
        f"{confirmed} are confirmed. In the {len(counted)} whose misses serve no development, "
        f"the defaults name {named} of {unseen} lines."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
