"""Small repositories as people write them, whose files tell each other something."""

from __future__ import annotations

CUT_OFF = {
    # `train.py` changes `sys.path` and then imports a module that is called like a library.
    "train.py": """\
import sys

sys.path.append("core")

import argparse
import datasets
import torch
from flow import Flow
from utils.meters import Meter


def main(args):
    model = Flow().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loader = datasets.fetch_loader(args)
    meter = Meter()
    for epoch in range(args.epochs):
        for first, second, truth in loader:
            optimizer.zero_grad()
            loss = (model(first.cuda(), second.cuda()) - truth.cuda()).abs().mean()
            loss.backward()
            optimizer.step()
            meter.update(loss)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--stage", default="chairs")
    main(parser.parse_args())
""",
    "evaluate.py": """\
import torch
from core.flow import Flow
from core.utils.frames import read_flow


@torch.no_grad()
def evaluate(paths):
    model = Flow().cuda().eval()
    return [model(*read_flow(path)).item() for path in paths]


if __name__ == "__main__":
    print(evaluate([]))
""",
    "core/flow.py": """\
import torch

from utils.frames import grid


class Flow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Conv2d(6, 2, 3, padding=1)

    def forward(self, first, second):
        coordinates = torch.from_numpy(grid(first.shape)).to(first.device)
        return self.encoder(torch.cat([first, second], dim=1)) + coordinates
""",
    "core/datasets.py": """\
import torch
import torch.utils.data as data

from utils.frames import read_flow


class FlowDataset(data.Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, index):
        return read_flow(self.paths[index % len(self.paths)])

    def __len__(self):
        return len(self.paths)


def fetch_loader(args):
    return data.DataLoader(FlowDataset([args.stage]), batch_size=8, shuffle=True, num_workers=4)
""",
    "core/utils/__init__.py": "",
    "core/utils/frames.py": """\
import numpy as np
import torch


def grid(shape):
    return np.zeros(shape, dtype=np.float32)


def read_flow(path):
    frames = np.load(path)
    return torch.from_numpy(frames[0]), torch.from_numpy(frames[1]), torch.from_numpy(frames[2])
""",
    "core/utils/meters.py": """\
class Meter:
    def __init__(self):
        self.total = 0.0

    def update(self, loss):
        self.total += loss.item()
""",
    "train.sh": "python train.py --stage things --lr 0.0001\n",
}
"""After the layout of much research code: scripts beside a folder that they put on the path."""

PACKAGE = {
    "pyproject.toml": '[project]\nname = "shapes"\nversion = "1"\ndependencies = ["torch>=2.1"]\n',
    "README.md": "```sh\npython -m shapes.cli --model wide --clip 1.0\n```\n",
    "configs/base.yaml": "model: wide\nworkers: 4\n",
    "shapes/__init__.py": "",
    "shapes/cli.py": """\
import argparse

from shapes.engine import Engine
from shapes.models import build


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="narrow")
    parser.add_argument("--clip", type=float, default=0.0)
    parser.add_argument("--debug", action="store_true")
    args = parser.parse_args()
    Engine(build(args.model), clip=args.clip, debug=args.debug).fit(3)


if __name__ == "__main__":
    main()
""",
    "shapes/engine.py": """\
import torch
from torch.utils.data import DataLoader

from shapes.data import Shapes
from shapes.logs import Log


class Engine:
    def __init__(self, model, clip=0.0, debug=False):
        self.model, self.clip, self.debug = model.cuda(), clip, debug
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.log = Log()

    def fit(self, epochs):
        loader = DataLoader(Shapes(), batch_size=32)
        for _ in range(epochs):
            for images, labels in loader:
                self.step(images.cuda(), labels.cuda())
            self.log.flush()

    def step(self, images, labels):
        self.optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(self.model(images), labels)
        loss.backward()
        if self.clip > 0:
            norm = sum(p.grad.norm().item() for p in self.model.parameters())
            self.log.add("norm", norm)
        if self.debug:
            print(loss.item())
        self.optimizer.step()
        self.log.add("loss", loss)
""",
    "shapes/logs.py": """\
class Log:
    def __init__(self):
        self.values = {}

    def add(self, name, value):
        self.values.setdefault(name, []).append(float(value))

    def flush(self):
        self.values.clear()
""",
    "shapes/data.py": """\
import torch


class Shapes(torch.utils.data.Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, index):
        return torch.rand(3, 32, 32), index % 10
""",
    "shapes/models/__init__.py": """\
from shapes.models.narrow import Narrow
from shapes.models.wide import Wide

MODELS = {"narrow": Narrow, "wide": Wide}


def build(name):
    return MODELS[name]()
""",
    "shapes/models/narrow.py": """\
import torch


class Narrow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(3 * 32 * 32, 10)

    def forward(self, x):
        if x.sum() > 0:
            x = x / x.max().item()
        return self.head(x.flatten(1))
""",
    "shapes/models/wide.py": """\
import torch


class Wide(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, 64, 3)
        self.head = torch.nn.Linear(64, 10)

    def forward(self, x):
        mask = torch.ones(x.shape[-1]).to(x.device)
        x = self.stem(x * mask)
        print(x.mean().item())
        return self.head(x.mean((2, 3)))
""",
    "tests/test_engine.py": """\
from shapes.engine import Engine
from shapes.models import build


def test_it_learns():
    engine = Engine(build("narrow"), clip=1.0, debug=True)
    engine.fit(1)
""",
}
"""A package with a command, models by name, settings that shipped files choose, and tests."""

FRAMEWORK = {
    "finetune.py": """\
from transformers import Trainer, TrainingArguments

from nets.tagger import Tagger
from steps import Watched


class TagTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        loss = model(**inputs)
        self.seen = loss.item()
        return loss


def main(data):
    arguments = TrainingArguments("out", per_device_train_batch_size=8)
    TagTrainer(model=Watched(Tagger()), args=arguments, train_dataset=data).train()
""",
    "steps.py": """\
import torch


class Watched(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, tokens, tags):
        loss = self.inner(tokens, tags)
        if torch.isnan(loss):
            raise ValueError
        return loss
""",
    "nets/tagger.py": """\
import torch


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(1000, 64)

    def forward(self, tokens, tags):
        x = self.words(tokens).mean(1)
        weights = torch.tensor([1.0] * 64).to(x.device)
        return torch.nn.functional.cross_entropy(x * weights, tags)
""",
    "vendored/.git/HEAD": "ref: refs/heads/main\n",
    "vendored/steps.py": """\
import torch


def step(model, loader, optimizer):
    for tokens, tags in loader:
        loss = model(tokens.cuda(), tags.cuda())
        loss.backward()
        optimizer.step()
        print(loss.item())
""",
    "plain.py": "print('nothing to see')\n",
}
"""Scripts around a framework's trainer that nothing marks as a project, with another repository inside."""

REPOSITORIES = {"cut off": (CUT_OFF, True), "package": (PACKAGE, True), "framework": (FRAMEWORK, False)}
"""Files, and whether they are a git repository."""
