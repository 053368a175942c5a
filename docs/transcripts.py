"""Write what trainlint says of the examples into README.md, examples/README.md and docs/why.md, between their markers.

python docs/transcripts.py            write them
python docs/transcripts.py --check    write nothing; name what is stale, and exit with 1
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
DEMO = "trainlint check examples/train_ddp.py --select TRN203,TRN501"
"""The command whose output README.md shows: few findings, one of them with a fix."""
QUESTION = "trainlint why examples/train_ddp.py:81-82"
"""The command whose output docs/why.md shows: a rule that reports something, and one that is silent."""


def trainlint(*words: str) -> str:
    """What `trainlint` prints, as in a terminal of 100 columns without colours.

    Raises CalledProcessError where something could not be judged.
    """
    plain = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "trainlint", *words, "--isolated"]
    return subprocess.run(
        command, cwd=REPOSITORY, env=plain, stdout=subprocess.PIPE, encoding="utf-8", check=True
    ).stdout


def demo() -> str:
    """A finished run, as README.md shows it."""
    return f"```console\n$ {DEMO}\n\n{trainlint(*DEMO.split()[1:], '--exit-zero')}```"


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
    pages = (
        ("README.md", "demo", demo()),
        ("examples/README.md", "findings", findings()),
        ("docs/why.md", "why", answer()),
    )
    for page, name, content in pages:
        path = REPOSITORY / page
        before = path.read_text(encoding="utf-8")
        after = between_markers(before, name, content)
        if after == before:
            continue
        stale = True
        print(f"{page} is stale; run `make docs`" if check else f"wrote {page}")
        if not check:
            path.write_text(after, encoding="utf-8", newline="\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
