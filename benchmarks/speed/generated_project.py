"""A project of training code in as many files as wanted, which import each other as such projects do."""

from __future__ import annotations

import subprocess
from pathlib import Path

HELPER = "common/meters.py"
"""The helper that waits, where the large file calls it in each training step."""
_PACKAGE = 10
"""Files of a package."""

_HELPER = """\
import torch


def record(value, history):
    history.append(value.item())


def mean(history):
    return sum(history) / max(1, len(history))
"""

_PART = """\
import torch
from torch import nn
from torch.nn import functional as F

from common.meters import mean
{imports}

class Block{n}(nn.Module):
    \"\"\"A block of model {n}.\"\"\"

    def __init__(self, width, heads=4, dropout=0.1):
        super().__init__()
        self.first = nn.Linear(width, 4 * width)
        self.second = nn.Linear(4 * width, width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        self.heads = heads

    def forward(self, hidden, mask=None):
        batch, length, width = hidden.shape
        states = self.norm(hidden)
        if mask is not None:
            states = states.masked_fill(mask[:, :, None], 0.0)
        states = self.dropout(F.gelu(self.first(states)))
        return hidden + self.second(states)


class Model{n}(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.blocks = nn.ModuleList(Block{n}(width) for _ in range(depth))
        self.head = nn.Linear(width, 10)

    def forward(self, inputs, mask=None):
        for block in self.blocks:
            inputs = block(inputs, mask)
        return self.head(inputs.mean(dim=1))


def build_{n}(options):
    model = Model{n}(options.width, options.depth)
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(parameter)
    return model


def prepare_{n}(batch, device):
    inputs, targets = batch
    return inputs.to(device, non_blocking=True), targets.to(device, non_blocking=True)


def evaluate_{n}(model, loader, device):
    model.eval()
    losses = []
    with torch.no_grad():
        for batch in loader:
            inputs, targets = prepare_{n}(batch, device)
            losses.append(F.cross_entropy(model(inputs), targets))
    model.train()
    return mean([float(loss) for loss in losses])
"""

_TRAIN = """\
import torch
from torch.nn import functional as F

from common.meters import record
{imports}

def train(options, loader, valid, device):
    model = {build}(options).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.lr)
    history = []
    for epoch in range(options.epochs):
        for step, batch in enumerate(loader):
            inputs, targets = {prepare}(batch, device)
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(inputs), targets)
            loss.backward()
            optimizer.step()
            # here
            if step % 100 == 0:
                print(epoch, step)
        {evaluate}(model, valid, device)
    return history
"""

_FILLING = """\

def transform_{n}(batch, scale, offset, options):
    \"\"\"Prepare one part of a batch.\"\"\"
    inputs, mask = batch
    if options.normalise:
        inputs = (inputs - offset) / scale
    pieces = []
    for index in range(options.views):
        view = inputs[:, index]
        if options.flip and index % 2:
            view = view.flip(-1)
        pieces.append(F.pad(view, (0, options.padding)))
    joined = torch.stack(pieces, dim=1)
    weights = torch.softmax(joined.mean(dim=-1), dim=-1)
    if mask is not None:
        weights = weights * mask
    return joined, weights

"""


def write_project(root: Path, files: int, lines: int) -> Path:
    """Write a project of so many files, of which `large.py` has so many lines, as a git repository."""
    _write(root / "pyproject.toml", '[project]\nname = "generated"\ndependencies = ["torch>=2.4"]\n')
    _write(root / "common/__init__.py", "")
    _write(root / HELPER, _HELPER)
    others = files - 3  # two in `common`, and the large one
    last = others - -(-others // (_PACKAGE + 1))  # each package has one more file
    for number in range(last):
        package = f"package_{number // _PACKAGE}"
        if number % _PACKAGE == 0:
            _write(root / package / "__init__.py", "")
        before = [number - 1] if number % _PACKAGE else []
        imports = "".join(f"from {package}.part_{each} import Block{each}\n" for each in before)
        _write(root / package / f"part_{number}.py", _PART.format(n=number, imports=f"{imports}\n"))
    _write(root / "large.py", _large(lines, last))
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    return root


def edited(text: str, number: int, *, heated: bool) -> str:
    """The large file after one more change, which makes the loop call the helper or not, and moves lines."""
    call = "record(loss, history)" if heated else "history.append(step)"
    moved = "\n".join(f"# note {each}" for each in range(number % 7))
    return text.replace("# here", f"{call}  # change {number}").replace("\n\ndef train(", f"\n\n{moved}\ndef train(")


def _large(lines: int, parts: int) -> str:
    used = range(0, parts, max(1, parts // 40))
    line = "from package_{p}.part_{n} import build_{n}, evaluate_{n}, prepare_{n}\n"
    imports = "".join(line.format(p=n // _PACKAGE, n=n) for n in used)
    text = _TRAIN.format(imports=imports, build="build_0", prepare="prepare_0", evaluate="evaluate_0")
    number = 0
    while text.count("\n") < lines:
        text += _FILLING.format(n=number)
        number += 1
    return text


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
