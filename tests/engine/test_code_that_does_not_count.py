"""Where the engine holds back what rules find: in other frameworks' files, and in code that nothing refers to."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.engine.linked_project import findings_in, judged, write_project
from trainlint.config import Overrides
from trainlint.finding import Confidence

LOOP = """
    for inputs, targets in train_loader:
        loss = criterion(model(inputs.cuda()), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())
"""


def codes(root: Path, name: str, files: dict[str, str], overrides: Overrides | None = None) -> set[str]:
    """The codes of the findings in one file of a project that is judged as a whole."""
    write_project(root, {path: textwrap.dedent(text) for path, text in files.items()})
    return {finding.code for finding in findings_in(judged(".", overrides=overrides), name)}


@pytest.fixture(autouse=True)
def _in_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        "import mxnet as mx",
        "from mxnet import gluon",
        "import jax.numpy as jnp",
        "from flax.training import train_state",
        "import tensorflow as tf",
        "from keras.optimizers import Adam",
        "import paddle",
        "from paddle import *",
    ],
)
def test_a_file_of_another_framework(tmp_path: Path, line: str) -> None:
    assert codes(tmp_path, "train.py", {"train.py": f"    {line}\n{LOOP}"}) == set()


@pytest.mark.parametrize("line", ["import torch", "import torchvision", "import lightning as L", "import accelerate"])
def test_a_file_that_imports_both(tmp_path: Path, line: str) -> None:
    assert "TRN201" in codes(tmp_path, "train.py", {"train.py": f"    import jax\n    {line}\n{LOOP}"})


def test_a_file_that_comes_to_pytorch_through_the_project(tmp_path: Path) -> None:
    files = {
        "train.py": f"    import tensorflow as tf\n    from net import model\n{LOOP}",
        "net.py": "from blocks import model\n",
        "blocks.py": "import torch\nmodel = torch.nn.Linear(4, 4)\n",
    }
    assert "TRN201" in codes(tmp_path, "train.py", files)


def test_a_file_whose_project_has_pytorch_elsewhere(tmp_path: Path) -> None:
    files = {
        "train.py": f"    import mxnet as mx\n    from net import model\n{LOOP}",
        "net.py": "model = make()\n",
        "other.py": "import torch\nfrom net import model\n",
    }
    assert codes(tmp_path, "train.py", files) == set()


def test_tables_of_pandas_are_no_tensors(tmp_path: Path) -> None:
    code = """
        import pandas as pd
        import torch

        frame = pd.read_csv("scores.csv")
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            row = frame.loc[frame.index[0]]
            print(row["loss"].item(), frame["loss"].mean().item())
            if frame["loss"].mean() > 3:
                break
    """
    assert not {"TRN201", "TRN203"} & codes(tmp_path, "train.py", {"train.py": code})


DEAD = """
    import torch

    def fit(model, train_loader):
        for inputs in train_loader:
            loss = model(inputs.cuda())
            loss.backward()
            optimizer.step()

    def fit_as_before(model, train_loader):
        for inputs in train_loader:
            loss = model(inputs.cuda())
            loss.backward()
            optimizer.step()
            print(loss.item())
"""
STARTED = """
    if __name__ == "__main__":
        fit(model, train_loader)
"""
MAIN = """
    from work import fit

    if __name__ == "__main__":
        fit(model, train_loader)
"""


def test_a_function_of_a_library_may_be_called_by_others(tmp_path: Path) -> None:
    assert "TRN201" in codes(tmp_path, "work.py", {"work.py": DEAD})


def test_a_program_that_imports_the_function(tmp_path: Path) -> None:
    files = {"work.py": DEAD, "main.py": MAIN.replace("fit", "fit_as_before")}
    assert "TRN201" in codes(tmp_path, "work.py", files)


ATTACK = """
    import torch
    from net import load

    def craft(net, loader):
        for inputs, targets in loader:
            inputs = inputs.cuda().requires_grad_(True)
            loss = net(inputs, targets)
            loss.backward()
            print(loss.item())

    if __name__ == "__main__":
        craft(load(), loader)
"""


def test_a_program_that_updates_no_parameter_does_not_train(tmp_path: Path) -> None:
    files = {"craft.py": ATTACK, "net.py": "import torch\ndef load():\n    return torch.load('net.pt')\n"}
    assert "TRN201" not in codes(tmp_path, "craft.py", files, Overrides(min_confidence=Confidence.UNLIKELY))


def test_a_program_that_updates_parameters_somewhere(tmp_path: Path) -> None:
    files = {"craft.py": ATTACK, "net.py": "import torch\nfrom steps import load\n"}
    files["steps.py"] = "import torch\ndef load():\n    torch.optim.SGD(net.parameters(), 0.1).step()\n"
    assert "TRN201" in codes(tmp_path, "craft.py", files)


def test_a_file_that_a_training_program_imports(tmp_path: Path) -> None:
    files = {"craft.py": ATTACK, "net.py": "import torch\ndef load():\n    pass\n"}
    files["train.py"] = "import torch\nimport craft\nif __name__ == '__main__':\n    optimizer.step()\n"
    assert "TRN201" in codes(tmp_path, "craft.py", files)


def test_the_same_for_a_program_of_one_file(tmp_path: Path) -> None:
    alone = ATTACK.replace("from net import load", "")
    assert "TRN201" not in codes(tmp_path, "craft.py", {"craft.py": alone})
    assert "TRN201" in codes(tmp_path, "craft.py", {"craft.py": alone.replace("print(", "p.sub_(g); print(")})


TRAIN = """
    import torch
    from nets import Tower
    from data import batches

    def main():
        model = Tower().cuda()
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for epoch in range(100):
            for inputs in batches(data):
                loss = model(inputs.cuda(non_blocking=True)).sum()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

    if __name__ == "__main__":
        main()
"""
NETS = """
    import torch
    from torch import nn

    class {name}(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))

        def forward(self, x):
            return self.layers(x + torch.arange(x.shape[0]).to(x.device))
"""
DATA = """
    from torch.utils.data import DataLoader

    def batches(data):
        return DataLoader(data, batch_size=8, num_workers=4, persistent_workers=True)

    def spare_batches(data):
        return DataLoader(data, batch_size=8, num_workers=4, persistent_workers=True)
"""
FEATURES = """
    import torch
    from encoder import Encoder
    from nets import Tower
    from data import spare_batches

    @torch.no_grad()
    def features(waves):
        encoder = Encoder().cuda()
        return [encoder(wave) for wave in spare_batches(waves)]

    if __name__ == "__main__":
        features(waves)
"""
TRAINS = {"train.py": TRAIN, "nets.py": NETS.format(name="Tower"), "data.py": DATA}
COSTS = {"TRN207"}


def test_costs_of_a_network_that_another_program_than_the_training_uses(tmp_path: Path) -> None:
    files = TRAINS | {"encoder.py": NETS.format(name="Encoder"), "features.py": FEATURES}
    assert codes(tmp_path, "encoder.py", files).isdisjoint(COSTS)
    assert codes(tmp_path, "encoder.py", files, Overrides(preview=True, min_confidence=Confidence.POSSIBLE)) >= COSTS


def test_costs_of_a_network_that_training_uses(tmp_path: Path) -> None:
    training = TRAIN.replace("Tower().cuda()", "Tower(Encoder()).cuda()").replace(
        "from data", "from encoder import Encoder\n    from data"
    )
    files = TRAINS | {"encoder.py": NETS.format(name="Encoder"), "train.py": training}
    assert codes(tmp_path, "encoder.py", files) >= COSTS


def test_costs_in_a_library(tmp_path: Path) -> None:
    files = {"encoder.py": NETS.format(name="Encoder"), "__init__.py": "from .encoder import Encoder"}
    assert "TRN207" not in codes(tmp_path, "encoder.py", files), "nothing in sight updates parameters"
    files["recipe.py"] = "import torch\n\n\ndef optimizer(net):\n    return torch.optim.SGD(net.parameters(), lr=0.1)\n"
    assert codes(tmp_path, "encoder.py", files) >= COSTS


def test_a_loader_that_no_training_builds(tmp_path: Path) -> None:
    files = TRAINS | {"encoder.py": NETS.format(name="Encoder"), "features.py": FEATURES}
    write_project(tmp_path, {path: textwrap.dedent(text) for path, text in files.items()})
    lines = [item.span.start_line for item in findings_in(judged("."), "data.py") if item.code == "TRN102"]
    assert lines == [5]
