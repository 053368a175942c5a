"""Configurations and launch scripts of a project say which options its runs set."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cache.project import age, opened
from tests.cache.project import run_over as judged
from trainlint.bounded import SHIPPED_BYTES
from trainlint.engine.index import shipped_files
from trainlint.finding import Confidence

TRAIN = """\
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--two_sided", action="store_true")
parser.add_argument("--penalty", default="square")
args = parser.parse_args()
model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(loader):
    for batch in loader:
        loss = model(batch.cuda(non_blocking=True)).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if args.penalty == "log" and args.two_sided:
            keep(loss)


def keep(loss):
    weigh(loss.item())


if __name__ == "__main__":
    train(make_loader())
"""

LOADERS = """\
import torch
from torch.utils.data import DataLoader

model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def load(data, in_order=False):
    if in_order:
        loader = DataLoader(data, batch_size=4, num_workers=1)
    else:
        loader = DataLoader(data, batch_size=4, num_workers=1, shuffle=True)
    while True:
        yield from loader


def train(data):
    for batch in load(data):
        loss = model(batch.cuda(non_blocking=True)).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    train(make_data())
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project as the working directory, with an option that is off and a value that is not the default."""
    place = tmp_path / "project"
    (place / "scripts").mkdir(parents=True)
    (place / "pyproject.toml").write_text("[project]\nname = 'small'\n")
    (place / "train.py").write_text(TRAIN)
    (place / "other.py").write_text("import train\n")
    monkeypatch.chdir(place)
    return place


def is_found(*paths: str) -> bool:
    """Whether the read behind the options is reported as one of each step."""
    return any(
        finding.code == "TRN201" and finding.confidence >= Confidence.LIKELY
        for finding in judged(*paths).report.findings
    )


def test_options_that_no_shipped_file_sets_are_off() -> None:
    assert not is_found()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scripts/run.sh", "python train.py --two_sided --penalty log\n"),
        ("run.sh", "python train.py --two-sided \\\n    --penalty=log\n"),
        ("scripts/large.yaml", "two_sided: true\npenalty: log\n"),
        ("README.md", "# Run\n```\npython train.py --two_sided --penalty log\n```\n"),
        ("settings.json", '{"two_sided": true, "penalty": "log"}'),
    ],
)
def test_what_a_shipped_file_sets_is_not_off(name: str, text: str) -> None:
    Path(name).write_text(text)
    assert is_found()
    assert is_found("train.py")
    assert is_found("train.py", "other.py")


def test_a_loader_for_which_no_call_asks_loads_nothing() -> None:
    Path("train.py").write_text(LOADERS)
    findings = judged().report.findings
    lines = {item.span.start_line: item.confidence >= Confidence.LIKELY for item in findings if item.code == "TRN103"}
    assert lines[12]
    assert not lines.get(10, False)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.sh", "python train.py --penalty log\n"),
        ("README.md", "Pass `--two_sided` and `--penalty log`.\n"),
        ("run.txt", "python train.py --two_sided --penalty log\n"),
        ("build/run.sh", "python train.py --two_sided --penalty log\n"),
    ],
)
def test_files_that_set_something_else_or_nothing(name: str, text: str) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(text)
    assert not is_found()


def test_a_changed_script_is_looked_at_again() -> None:
    script = Path("run.sh")
    script.write_text("python train.py\n")
    age()
    for text, expected in (("", 0), (" --two_sided --penalty log", 1), ("", 0)):
        script.write_text(f"python train.py{text}\n")
        for _ in range(2):
            findings = judged(cache=opened()).report.findings
            assert (
                sum(finding.code == "TRN201" and finding.confidence >= Confidence.LIKELY for finding in findings)
                == expected
            ), text


def test_no_link_leads_out_and_no_pipe_is_waited_for(tmp_path: Path) -> None:
    outside = tmp_path / "run.sh"
    outside.write_text("python train.py --two_sided --penalty log\n")
    Path("run.sh").symlink_to(outside)
    os.mkfifo("pipe.sh")
    assert not is_found()


def test_other_projects_have_no_say(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    (other / "run.sh").write_text("python train.py --two_sided --penalty log\n")
    assert not is_found(".", "../other")


def test_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Path("scripts/run.sh")
    script.write_text("\n" * SHIPPED_BYTES + "python train.py --two_sided --penalty log\n")
    assert not is_found()
    script.write_text("python train.py --two_sided --penalty log\n")
    assert is_found()
    Path("first.sh").write_text("python train.py\n")
    monkeypatch.setattr(shipped_files, "MOST_FILES", 1)
    assert not is_found()
