"""The README tells the truth: what it shows was printed by trainlint, and its commands and settings work."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests import forked
from trainlint.verdict_file import FORMAT_VERSION
from trainlint_probe.options import read_options
from trainlint_probe.prove.options import read_options as read_prove_options

PROJECT = Path(__file__).resolve().parent.parent
README = (PROJECT / "README.md").read_text(encoding="utf-8")
# docs/transcripts.py records this part, and checks it.
TYPED = re.sub(r"(?s)<!-- loop:start -->.*<!-- loop:end -->", "", README)
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(block["language"], block["body"]) for block in BLOCK.finditer(TYPED)]
COMMANDS = [line[2:] for _, body in BLOCKS for line in body.splitlines() if line.startswith("$ trainlint ")]


def trainlint(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return forked.run_text(words, folder, {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"})


def test_what_it_shows_is_what_is_printed() -> None:
    (language, demo) = BLOCKS[0]
    assert language == "console"
    command, _, output = demo.partition("\n\n")
    done = trainlint(shlex.split(command)[2:], PROJECT)
    assert done.stdout == output
    assert done.returncode == 1


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's project that holds nothing to find."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text("import torch\n", encoding="utf-8")
    return tmp_path


CONFIG = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "intermediate_size": 11008,
    "vocab_size": 32000,
    "max_position_embeddings": 4096,
    "hidden_act": "silu",
}
RUN = {"steps": [{"ms": 5.0}], "device": "cpu", "outcome": "window closed"}
OUT_OF_MEMORY = (
    "RuntimeError: CUDA out of memory. Tried to allocate 392.00 MiB (GPU 0; 10.92 GiB total capacity; 9.76 GiB already "
    "allocated; 211.38 MiB free; 9.94 GiB reserved in total by PyTorch)\n"
)


@pytest.fixture
def files_of_a_run(project: Path) -> None:
    """What commands read: a model's configuration, evidence, claims, a plan, the log of a failed run, a baseline."""
    (project / "claims.jsonl").write_text('{"path": "src/train.py", "line": 1, "kind": "wait"}', encoding="utf-8")
    (project / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    digest = hashlib.sha256((project / "src" / "train.py").read_bytes()).hexdigest()
    judged = {"digests": {"src/train.py": digest}}
    evidence = {"format_version": FORMAT_VERSION, "runs": [RUN], "verdicts": [], "judged": judged}
    (project / "evidence.json").write_text(json.dumps(evidence), encoding="utf-8")
    (project / "log.txt").write_text(OUT_OF_MEMORY, encoding="utf-8")
    (project / ".trainlint-baseline.json").write_text('{"trainlint_baseline": 1, "findings": []}', encoding="utf-8")
    options = ["--gpus", "8", "--gpu", "h100", "--output-format", "json", "--output-file", "plan.json"]
    planned = trainlint(["plan", "config.json", *options], project)
    assert planned.returncode == 0, planned.stderr


OF_THE_PROBE = [command for command in COMMANDS if command.startswith("trainlint probe")]
OF_PROVE = [command for command in COMMANDS if command.startswith("trainlint prove")]
OTHERS = [command for command in COMMANDS if command not in (*OF_THE_PROBE, *OF_PROVE)]


@pytest.mark.parametrize("command", [command for command in OTHERS if " src/" in command or " check" not in command])
@pytest.mark.usefixtures("files_of_a_run")
def test_each_command_works(command: str, project: Path) -> None:
    done = trainlint(shlex.split(command, comments=True)[1:], project)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", OF_THE_PROBE)
def test_each_command_of_the_probe_is_understood(command: str) -> None:
    """What they do is tested in tests/probe: they need a training, or a trace of one."""
    options = read_options(shlex.split(command, comments=True)[2:])
    assert (options.script, options.trace) in [("train.py", None), (None, Path("trace.json.gz"))]


@pytest.mark.parametrize("command", OF_PROVE)
def test_each_command_that_proves_is_understood(command: str) -> None:
    """What it does is tested in tests/probe/prove."""
    assert read_prove_options(shlex.split(command, comments=True)[2:]).script == "train.py"


def test_the_settings_are_understood(project: Path) -> None:
    (settings,) = [body for language, body in BLOCKS if language == "toml"]
    (project / "pyproject.toml").write_text(settings, encoding="utf-8")
    shown = trainlint(["check", "--show-settings", "src"], project)
    assert shown.returncode == 0, shown.stderr
    for value in ("TRN204", "third_party", "2.4", "update_policy", "log_images", "benchmarks/*", "TRN101"):
        assert value in shown.stdout


@pytest.mark.parametrize("comment", re.findall(r"# (?:noqa|trainlint): ?[\w-]*\[?TRN201\]?", README))
def test_the_ignore_comments_silence(comment: str, project: Path) -> None:
    loop = "for batch in loader:\n    loss = model(batch.cuda())\n    loss.backward()\n    optimizer.step()\n"
    loud = f"import torch\n\n{loop}    total = loss.item()\n"
    silent = f"{comment}\n{loud}" if "-file" in comment else f"{loud[:-1]}  {comment}\n"
    for code, findings in ((loud, 1), (silent, 0)):
        (project / "src" / "train.py").write_text(code, encoding="utf-8")
        checked = trainlint(["check", "--select", "TRN201,TRN002", "--output-format", "concise", "src"], project)
        assert checked.stdout.count("TRN201 ") == findings, checked.stdout + checked.stderr
        assert checked.returncode == findings
