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
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
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
"""Lines of it that the picture shows: up to the end of a finding."""
RECORDED = "examples/simulated.txt"
"""What `make demo` shows without PyTorch, and docs/simulated-gpu.md quotes."""
AGENTS = "trainlint check examples --output-format agent --select TRN203,TRN207,TRN304"
"""The command whose output docs/agents.md shows."""
QUESTION = "trainlint why examples/train_ddp.py:81-82"
"""The command whose output docs/why.md shows: a rule that reports something, and one that is silent."""
CLAIMS = (
    ("model.py", "positions = torch.arange", "copy", "made on the host in each forward"),
    ("train.py", "history.append(loss.item())", "wait", ""),
    ("train.py", "accuracy = correct.float()", "wait", ".item() in the loop"),
    ("train.py", "total += next_token_loss", "wait", ".item() in the evaluation"),
    ("train.py", "torch.cuda.empty_cache()", "slow", ""),
)
"""What a reader of examples/ may claim, in the session that docs/agents.md shows: a file, what its line holds, a kind,
a note. Two are right, two are look-alikes, and one names no kind."""
TRAINED = "train.py --steps 25 --batch 4 --context 16 --log-interval 10"
"""The training of that session."""
CHANGED = "TRN207"
"""The rule whose fix is its change."""


def trainlint(*words: str, color: bool = False, cwd: Path = REPOSITORY, code: int = 0, columns: int = 100) -> str:
    """What `trainlint` prints, as in a terminal. Raises RuntimeError where its exit code is another."""
    plain = {**os.environ, "COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8"}
    plain.pop("FORCE_COLOR" if not color else "NO_COLOR", None)
    plain["FORCE_COLOR" if color else "NO_COLOR"] = "1"
    command = [sys.executable, "-m", "trainlint", *words]
    ran = subprocess.run(command, cwd=cwd, env=plain, capture_output=True, encoding="utf-8")
    if ran.returncode != code:
        said = f"{ran.stdout}{ran.stderr}"
        raise RuntimeError(f"{shlex.join(words)} ended with {ran.returncode}, and not with {code}:\n{said}")
    return ran.stdout


def recorded() -> str:
    """A run on a simulated GPU, as a terminal shows it, in colours."""
    words = PROBED.split()[1:]
    ran = trainlint(
        words[0], "--color", "always", *words[1:], color=True, cwd=REPOSITORY / "examples", code=1, columns=80
    )
    return f"$ cd examples\n$ {PROBED}\n\n{ran}"


def session() -> Sequence[str]:
    """Claims about a copy of the examples, answers of a run, a fix, and its proof: each command with its output."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "examples")
        others = shutil.ignore_patterns("__pycache__", "README.md", "simulated.txt")  # the latter are written here
        shutil.copytree(REPOSITORY / "examples", project, ignore=others)
        for words in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "--message", "Train")):
            _git(project, *words)
        claims = "".join(f"{json.dumps(_claim(*each))}\n" for each in CLAIMS)
        (project / "claims.jsonl").write_text(claims, encoding="utf-8")
        said = [f"$ cat claims.jsonl\n\n{claims}"]

        def run(*words: str, code: int = 0) -> str:
            printed = trainlint(*words, cwd=project, code=code)
            said.append(f"$ trainlint {' '.join(map(_typed, words))}\n\n{printed}")
            return printed

        run("judge", "claims.jsonl", "--run", TRAINED, code=2)  # one claim names no kind
        found = run("check", "--output-format", "agent", "--select", CHANGED, code=1)
        (of_finding,) = re.findall(rf"{CHANGED} (\w{{10}}):", found)
        run("check", "--diff", "--only", of_finding, code=1)
        run("check", "--fix", "--only", of_finding)
        run("prove", "--against", "HEAD", *TRAINED.split())
    return said


def _claim(path: str, text: str, kind: str, note: str) -> dict[str, str | int]:
    lines = (REPOSITORY / "examples" / path).read_text(encoding="utf-8").splitlines()
    (number,) = (number for number, line in enumerate(lines, 1) if text in line)
    claim: dict[str, str | int] = {"path": path, "line": number, "kind": kind}
    return {**claim, "note": note} if note else claim


def _git(folder: Path, *words: str) -> None:
    """Run git as on every machine: with the same person and time, so that commits have the same name."""
    of_roles = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "trainlint"), ("EMAIL", "trainlint@example.org"), ("DATE", "2026-01-01T00:00:00Z"))
    }
    without = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *words], cwd=folder, env={**os.environ, **of_roles, **without}, check=True)


def _typed(word: str) -> str:
    return f'"{word}"' if " " in word else word


def loop(said: Sequence[str]) -> str:
    """The whole session."""
    return "```console\n" + "\n".join(said) + "```"


def loop_in_short(said: Sequence[str]) -> str:
    """What is judged, the command of the change, and the line for the commit."""
    _, judged, _, _, fixed, proved = said
    command, proof = proved.partition("\n")[0], proved.splitlines()[-1]
    return f"```console\n{judged}\n{fixed}\n{command}\n\n{proof}\n```"


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
    whole = trainlint("check", "examples", "--exit-zero", "-q", "--verbose")
    one = r"(?ms)^\w+\[(TRN\d{3})\](?:(?!^\w+\[TRN).)*?^  docs: \S+\n"  # a rule's second finding names no page
    printed = {found[1]: found[0] for found in re.finditer(one, whole)}
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
    run, said = recorded(), session()
    pages = (
        ("README.md", "demo", demo()),
        ("examples/README.md", "findings", findings()),
        ("docs/why.md", "why", answer()),
        ("README.md", "loop", loop_in_short(said)),
        ("docs/agents.md", "agent", for_agents()),
        ("docs/agents.md", "loop", loop(said)),
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
