"""Write what trainlint says of the examples into the pages that show it, and as a picture.

python docs/transcripts.py            write them
python docs/transcripts.py --check    write nothing; name what is stale, and exit with 1
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

REPOSITORY = Path(__file__).resolve().parent.parent
DEMO = "trainlint check examples --select TRN203,TRN207"
"""The command whose output README.md shows: few findings, one of them with a fix and in another file than its loop."""
PICTURE = "docs/images/check.svg"
"""The same output in colours."""
PROBED = "trainlint probe --device simulated:h100 --no-overlay train.py --steps 25 --batch 4 --context 16"
"""The command whose output RECORDED holds, run in examples/."""
STEP = "docs/images/step.svg"
"""The beginning of its output in colours."""
_SHOWN = 28
"""Lines of it that the picture has room for."""
RECORDED = "examples/simulated.txt"
"""What `make demo` shows without PyTorch, and docs/simulated-gpu.md quotes."""
AGENTS = "trainlint check examples --output-format agent --select TRN203,TRN207,TRN304"
"""The command whose output docs/agents.md shows."""
QUESTION = "trainlint why examples/train_ddp.py:81-82"
"""The command whose output docs/why.md shows: a rule that reports something, and one that is silent."""


def trainlint(*words: str, color: bool = False) -> str:
    """What `trainlint` prints, as in a terminal of 100 columns.

    Raises CalledProcessError where something could not be judged.
    """
    plain = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    plain.pop("FORCE_COLOR" if not color else "NO_COLOR", None)
    plain["FORCE_COLOR" if color else "NO_COLOR"] = "1"
    command = [sys.executable, "-m", "trainlint", *words]
    return subprocess.run(
        command, cwd=REPOSITORY, env=plain, stdout=subprocess.PIPE, encoding="utf-8", check=True
    ).stdout


def recorded() -> str:
    """A run on a simulated GPU, as a terminal shows it, in colours."""
    plain = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    plain.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "trainlint", *PROBED.split()[1:2], "--color", "always", *PROBED.split()[2:]]
    ran = subprocess.run(
        command,
        cwd=REPOSITORY / "examples",
        env=plain,
        capture_output=True,
        encoding="utf-8",
    )
    if ran.returncode != 1:  # findings are confirmed
        raise RuntimeError(f"{PROBED} ended with {ran.returncode}:\n{ran.stderr}")
    return f"$ cd examples\n$ {PROBED}\n\n{ran.stdout}"


def drawn(text: str, name: str) -> str:
    """What a terminal shows, as SVG: the same text gives the same bytes."""
    console = Console(width=100, record=True, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text.from_ansi(text))
    picture = console.export_svg(title="trainlint", unique_id=name)
    return re.sub(r"(?s)@font-face \{.*?\}\s*", "", picture) + "\n"  # Rich names fonts of a server; any fixed one does


def opening(said: str) -> str:
    """The command, its heading and its first finding."""
    return "```text\n" + "\n\n".join(said.split("\n\n")[:4]) + "\n```"


def demo() -> str:
    """A finished run, as README.md shows it."""
    return f"```console\n$ {DEMO}\n\n{trainlint(*DEMO.split()[1:], '--exit-zero')}```"


def for_agents() -> str:
    """The findings of the examples, as a coding agent reads them."""
    return f"```console\n$ {AGENTS}\n\n{trainlint(*AGENTS.split()[1:], '--exit-zero')}```"


def picture() -> str:
    """The demo as a terminal shows it, as SVG: the same text gives the same bytes."""
    return drawn(f"$ {DEMO}\n\n{trainlint(*DEMO.split()[1:], '--exit-zero', color=True)}", "check")


def answer() -> str:
    """What `trainlint why` says of two lines."""
    return f"```console\n$ {QUESTION}\n\n{trainlint(*QUESTION.split()[1:])}```"


def findings() -> str:
    """A table of all findings in the examples."""
    rows = ["| where | rule | what trainlint says |", "| --- | --- | --- |"]
    for finding in json.loads(trainlint("check", "examples", "--exit-zero", "--output-format", "json"))["findings"]:
        place = f"{Path(finding['path']).name}:{finding['span']['start_line']}"
        said = "; ".join(filter(None, (finding["message"], finding["help"])))
        message = said.replace("|", "\\|")
        rows.append(f"| `{place}` | {finding['code']} | {message} |")
    return "\n".join(rows)


CORE = {
    "TRN501": "`all_gather`, then `cat`",
    "TRN202": "`.cpu()` in the training loop",
    "TRN204": "`synchronize` in the training loop",
    "TRN301": "`empty_cache` during training",
    "TRN205": "A copy of the batch that blocks",
    "TRN101": "No `num_workers`",
    "TRN303": "Evaluation with autograd on",
    "TRN509": "DistributedDataParallel where the states do not fit",
}
"""What people expect of a linter for training code first of all, by the rule that finds it."""


def core() -> str:
    """Each defect of the core list in the examples: what was printed, one finding each."""
    whole = trainlint("check", "examples", "--exit-zero", "-q")
    printed = {found[1]: found[0] for found in re.finditer(r"(?ms)^\w+\[(TRN\d{3})\].*?^  docs: \S+\n", whole)}
    return "\n\n".join(f"## {title}\n\n```text\n{printed[code]}```" for code, title in CORE.items())


def between_markers(text: str, name: str, content: str) -> str:
    """The text with new content between the markers of that name. Raises ValueError where they do not stand once."""
    start, end = f"<!-- {name}:start -->\n", f"\n<!-- {name}:end -->"
    written, times = re.subn(f"(?s){start}.*?{end}", lambda _: start + content + end, text)
    if times != 1:
        raise ValueError(f"the markers {start.strip()} and {end.strip()} must stand in the page once")
    return written


def main() -> int:
    """Write or check. Returns the exit code: 0 all fresh or written, 1 something is stale."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a page is stale")
    check = parser.parse_args().check
    stale = False
    run = recorded()
    pages = (
        ("README.md", "demo", demo()),
        ("examples/README.md", "findings", findings()),
        ("docs/why.md", "why", answer()),
        ("docs/agents.md", "agent", for_agents()),
        ("docs/core-list.md", "core", core()),
        ("docs/simulated-gpu.md", "simulated", opening(Text.from_ansi(run).plain)),
    )
    pictures = (
        (PICTURE, "", picture()),
        (RECORDED, "", Text.from_ansi(run).plain),
        (STEP, "", drawn("\n".join(run.splitlines()[:_SHOWN]), "step")),
    )
    for page, name, content in (*pages, *pictures):
        path = REPOSITORY / page
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        after = between_markers(before, name, content) if name else content
        if after == before:
            continue
        stale = True
        print(f"{page} is stale; run `make docs`" if check else f"wrote {page}")
        if not check:
            path.write_text(after, encoding="utf-8", newline="\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
