"""What a loop in one file says of the loader that another file builds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.linked_project import findings_in, judged, write_project
from trainlint.config import Overrides
from trainlint.finding import Confidence

DATA = """\
from torch.utils.data import DataLoader


def build_feed(cfg, dataset):
    return DataLoader(dataset, batch_size=cfg.batch, shuffle=True, num_workers=8)
"""
ENGINE = """\
import torch

from pkg.data import build_feed


class Engine:
    def __init__(self, cfg, net, dataset):
        self.net = net.cuda()
        self.optimizer = torch.optim.SGD(net.parameters(), lr=cfg.lr)
        self.feed = build_feed(cfg, dataset)

    def epoch(self):
        for views, labels in self.feed:
            loss = torch.nn.functional.cross_entropy(self.net(views.cuda()), labels.cuda())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def fit(self, epochs):
        for _ in range(epochs):
            self.epoch()
"""
MAIN = """\
import torch

from pkg.engine import Engine


def main(cfg, net, dataset):
    Engine(cfg, net, dataset).fit(9)


if __name__ == "__main__":
    main(*prepared())
"""


@pytest.mark.parametrize(
    ("call", "codes"),
    [
        ("num_workers=8", {"TRN102", "TRN103"}),
        ("num_workers=8, pin_memory=True", {"TRN103"}),
        ("num_workers=8, pin_memory=True, persistent_workers=True", set()),
    ],
)
def test_a_loader_is_judged_by_the_loops_of_other_files(
    call: str, codes: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = DATA.replace("num_workers=8", call)
    files = {"pkg/__init__.py": "", "pkg/data.py": data, "pkg/engine.py": ENGINE, "main.py": MAIN}
    monkeypatch.chdir(write_project(tmp_path, files))
    assert {item.code for item in findings_in(judged("."), "pkg/data.py")} == codes


def test_workers_of_a_loader_that_is_gone_through_once_are_not_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = ENGINE.replace("        for _ in range(epochs):\n            self.epoch()", "        self.epoch()")
    files = {"pkg/__init__.py": "", "pkg/data.py": DATA, "pkg/engine.py": once, "main.py": MAIN}
    monkeypatch.chdir(write_project(tmp_path, files))
    unsure = Overrides(min_confidence=Confidence.UNLIKELY)
    found = findings_in(judged(".", overrides=unsure), "pkg/data.py")
    assert "TRN103" not in {item.code for item in found}


def test_workers_stay_as_they_are_where_another_file_changes_the_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reloading = ENGINE.replace(
        "            self.epoch()", "            self.feed.dataset.reload()\n            self.epoch()"
    )
    files = {"pkg/__init__.py": "", "pkg/data.py": DATA, "pkg/engine.py": reloading, "main.py": MAIN}
    monkeypatch.chdir(write_project(tmp_path, files))
    assert {item.code for item in findings_in(judged("."), "pkg/data.py")} == {"TRN102"}


VALIDATE = """\
import torch


def validate(loader, net):
    net.eval()
    correct = 0
    with torch.no_grad():
        for views, labels in loader:
            scores = net(views.cuda(non_blocking=True))
            correct += (scores.argmax(1).cpu() == labels).sum()
    return correct
"""
TEST = """\
from torch.utils.data import DataLoader

from pkg.function import validate


def main(net, dataset):
    loader = DataLoader(dataset, batch_size=8, num_workers=4, pin_memory=True)
    {first}validate(loader, net)


if __name__ == "__main__":
    main(*prepared())
"""
TRAIN = """\
import torch
from torch.utils.data import DataLoader

from pkg.function import validate


def main(net, optimizer, dataset):
    loader = DataLoader(dataset, batch_size=8, num_workers=4, pin_memory=True)
    for epoch in range(9):
        for views, labels in loader:
            loss = torch.nn.functional.cross_entropy(net(views.cuda()), labels.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        validate(loader, net)


if __name__ == "__main__":
    main(*prepared())
"""


def test_a_function_that_another_program_calls_in_a_loop_restarts_no_workers_of_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = TEST.format(first="")
    files = {"pkg/__init__.py": "", "pkg/function.py": VALIDATE, "infer.py": test, "train_net.py": TRAIN}
    monkeypatch.chdir(write_project(tmp_path, files))
    found = judged(".", overrides=Overrides(min_confidence=Confidence.UNLIKELY))
    assert "TRN103" not in {item.code for item in findings_in(found, "infer.py")}
    assert "TRN103" in {item.code for item in findings_in(found, "train_net.py")}


def test_a_function_that_this_program_calls_in_a_loop_restarts_its_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    several = TEST.format(first="for epoch in range(9):\n        ")
    files = {"pkg/__init__.py": "", "pkg/function.py": VALIDATE, "infer.py": several, "train_net.py": TRAIN}
    monkeypatch.chdir(write_project(tmp_path, files))
    found = judged(".", overrides=Overrides(min_confidence=Confidence.UNLIKELY))
    assert "TRN103" in {item.code for item in findings_in(found, "infer.py")}


def test_lightning_restarts_the_workers_of_a_loader_that_a_hook_of_another_file_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = """\
import lightning as L


class System(L.LightningModule):
    def __init__(self, net, feed):
        super().__init__()
        self.net = net
        self.feed = feed

    def training_step(self, batch, number):
        return self.net(batch).sum()

    def train_dataloader(self):
        return self.feed
"""
    main = """\
import lightning as L
from torch.utils.data import DataLoader

from pkg.system import System


def main(net, images, options):
    feed = DataLoader(images, batch_size=8, num_workers=options["workers"], pin_memory=True)
    L.Trainer(max_epochs=50).fit(System(net, feed=feed))


if __name__ == "__main__":
    main(*prepared())
"""
    monkeypatch.chdir(write_project(tmp_path, {"pkg/__init__.py": "", "pkg/system.py": system, "main.py": main}))
    (finding,) = findings_in(judged("."), "main.py")
    assert finding.code == "TRN103"
    assert "on every pass (hook at pkg/system.py:13)" in finding.message
