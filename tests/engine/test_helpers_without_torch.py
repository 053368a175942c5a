"""A helper file without a word of training takes part in linking, and is judged where it uses tensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.linked_project import findings_in, judged, write_project

TRAIN = """\
import torch
{imports}

def main(options, model, optimizer, train_loader):
    {made}
    for step, batch in enumerate(train_loader):
        loss = model(batch.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if {test}:
            loss.item()
"""
COUNTER = """\
class Progress:
    def __init__(self, options):
        self.options = options
        self.seen = 0

    def advance(self):
        self.seen += self.options.batch_size

    def wants_picture(self):
        return (self.seen % self.options.picture_gap) < self.options.batch_size

    def is_under_way(self):
        return self.seen > 0
"""
RHYTHM = """\
def falls_on(count, gap):
    if gap == 0:
        return False
    return count > 0 and count % gap == 0


def is_given(gap):
    return gap is not None
"""
SETTINGS = """\
import argparse


def read():
    parser = argparse.ArgumentParser()
    parser.add_argument("--margin", type=float, default=0.0)
    parser.add_argument("--bound", type=float, default=1.0)
    return parser.parse_args()
"""


def found(path: Path, monkeypatch: pytest.MonkeyPatch, name: str, helper: str, **parts: str) -> list[str]:
    """The codes of the findings in a program that asks a helper file."""
    write_project(path, {"train.py": TRAIN.format(**parts), name: helper})
    monkeypatch.chdir(path)
    return [item.code for item in findings_in(judged("."), "train.py")]


PROGRESS = {"name": "progress.py", "helper": COUNTER, "imports": "from progress import Progress\n"}
FUNCTION = {"name": "rhythm.py", "helper": RHYTHM, "imports": "import rhythm\n", "made": "pass"}
OPTIONS = {"name": "settings.py", "helper": SETTINGS, "imports": "import settings\n", "made": "args = settings.read()"}


@pytest.mark.parametrize(
    "parts",
    [
        {**PROGRESS, "made": "progress = Progress(options)", "test": "progress.wants_picture()"},
        {**FUNCTION, "test": "rhythm.falls_on(step, options.gap)"},
        {**OPTIONS, "test": "args.margin > 0"},
    ],
    ids=["a method of an object that counts", "a function with an interval", "an option that is zero by default"],
)
def test_what_a_helper_says_runs_seldom_is_no_part_of_each_step(
    parts: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "TRN201" not in found(tmp_path, monkeypatch, **parts)


@pytest.mark.parametrize(
    "parts",
    [
        {**PROGRESS, "made": "progress = Progress(options)", "test": "progress.is_under_way()"},
        {**FUNCTION, "test": "rhythm.is_given(options.gap)"},
        {**OPTIONS, "test": "args.bound > 0"},
    ],
    ids=["another method of it", "another function", "an option that is one by default"],
)
def test_what_a_helper_allows_in_each_step_is_found(
    parts: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "TRN201" in found(tmp_path, monkeypatch, **parts)


METERS = """\
class Accuracy:
    def __init__(self):
        self.right = 0

    def update(self, logits, targets):
        self.right += (logits.argmax(1) == targets).sum().item()
"""
MEASURED = """\
import torch
from meters import Accuracy


def main(model, optimizer, criterion, train_loader):
    accuracy = Accuracy()
    for images, labels in train_loader:
        images, labels = images.cuda(non_blocking=True), labels.cuda(non_blocking=True)
        logits = model(images)
        loss = criterion(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        accuracy.update(logits, labels)
"""


def test_a_helper_that_reads_the_tensors_of_a_training_file_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, {"train.py": MEASURED, "meters.py": METERS})
    monkeypatch.chdir(tmp_path)
    assert [item.code for item in findings_in(judged("."), "meters.py")] == ["TRN201"]


def test_a_helper_that_only_a_test_imports_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = "import torch\nfrom meters import Accuracy\n\n\ndef test_it():\n    Accuracy().update(torch.ones(1, 1), 0)\n"
    write_project(tmp_path, {"tests/test_meters.py": test, "meters.py": METERS})
    monkeypatch.chdir(tmp_path)
    assert not findings_in(judged("."), "meters.py")
