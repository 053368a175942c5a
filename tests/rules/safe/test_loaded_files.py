"""`weights_only=True` is offered only where the code shows that a file holds nothing else than that reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.rules.safe.offered import fixes
from trainlint.cli import main

LOADING = """import os

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def read(self, path):
        {method}


class Trainer:
    def read(self, path):
        {other}


def restore(module, state):
    module.load_state_dict(state)


def unpacked(module, state):
    module.load_state_dict(state["model"])


def load(model, optimizer, path, key):
    {use}
"""


def loading(use: str = "pass", method: str = "pass", other: str = "pass") -> str:
    return LOADING.format(use=use, method=method, other=other)


READ = "\n\n\ndef read(path):\n    return torch.load(path, map_location='cpu')\n"
ONLY_STATE = {
    "at once": loading("model.load_state_dict(torch.load(path), strict=False)"),
    "a name in between": loading("state = torch.load(path)\n    model.load_state_dict(state)"),
    "two names": loading("state = torch.load(path)\n    weights = state\n    model.load_state_dict(weights)"),
    "a helper takes it": loading("restore(model, torch.load(path))"),
    "a helper returns it": loading("model.load_state_dict(read(path))" + READ),
    "a module's own method": loading(method="self.load_state_dict(torch.load(path))"),
    "one of two formats": loading(
        "state = load_file(path) if path.endswith('s') else torch.load(path)\n    model.load_state_dict(state)"
    ),
    "its names are changed": loading(
        "state = torch.load(path)\n    state = {k.replace('module.', ''): v for k, v in state.items()}\n"
        "    model.load_state_dict(state)"
    ),
    "a weight is left out": loading(
        "state = torch.load(path)\n    if 'fc.weight' in state:\n        del state['fc.weight']\n"
        "    model.load_state_dict(state)"
    ),
    "each weight is looked at": loading(
        "state = torch.load(path)\n    for name in state:\n        print(state[name].shape)\n"
        "    print(len(state))\n    model.load_state_dict(state)"
    ),
}
MAY_HOLD_MORE = {
    "a part of it": loading("model.load_state_dict(torch.load(path)['model'])"),
    "a part under a name": loading("state = torch.load(path)\n    model.load_state_dict(state['net'])"),
    "a part by a variable": loading(
        "state = torch.load(path)\n    if key in state:\n        state = state[key]\n    model.load_state_dict(state)"
    ),
    "a part in a helper": loading("unpacked(model, torch.load(path))"),
    "a test for a part": loading(
        "state = torch.load(path)\n    if 'ema' in state:\n        print('ema')\n    model.load_state_dict(state)"
    ),
    "an optimizer's state": loading("optimizer.load_state_dict(torch.load(path))"),
    "an object with a state of its own": loading(other="self.load_state_dict(torch.load(path))"),
    "nobody sees the use": loading("return torch.load(path)"),
    "an unknown function": loading("state = convert(torch.load(path))\n    model.load_state_dict(state)"),
    "an attribute of it": loading("state = torch.load(path)\n    print(state.epoch)\n    model.load_state_dict(state)"),
    "a whole model": loading("model = torch.load(path)\n    model.eval()\n    return model"),
    "a whole model at once": loading("return torch.load(path).cuda().eval()"),
    "a whole model that is called": loading("model = torch.load(path)\n    return model(torch.zeros(3))"),
    "a part that is a model": loading("held = torch.load(path)\n    return held['model'].eval()"),
}
SAVED = """import argparse

import torch
from torch import nn

args = argparse.ArgumentParser().parse_args()
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    {before}
    torch.save({held}, {path})
loaded = torch.load({again})
model.load_state_dict(loaded["model"])
"""


def saved(held: str, path: str = '"out/last.pt"', again: str = "", before: str = "pass") -> str:
    return SAVED.format(held=held, path=path, again=again or path, before=before)


PLAIN = {
    "states and numbers": saved('{"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}'),
    "a dict that was made before": saved(
        "state", before='state = {"model": model.state_dict()}; state["epoch"] = epoch + 1'
    ),
    "tensors on the host": saved('{"model": {k: v.cpu() for k, v in model.state_dict().items()}, "name": "net"}'),
    "a name that is put together": saved(
        '{"model": model.state_dict()}', 'f"{args.out}/step-{epoch}.pt"', 'f"{args.resume}/step-{args.step}.pt"'
    ),
    "a path in a variable": saved('{"model": model.state_dict()}', "path", before='path = args.out + "/last.pt"'),
}
NOT_PLAIN = {
    "the options": saved('{"model": model.state_dict(), "args": args}'),
    "options stored later": saved("state", before='state = {"model": model.state_dict()}; state["args"] = args'),
    "a model": saved('{"model": model}'),
    "what nobody knows": saved('{"model": model.state_dict(), "best": args.best}'),
    "another file of that name": saved('{"model": model.state_dict()}') + 'torch.save(args, "out/last.pt")\n',
    "another file": saved('{"model": model.state_dict()}', again='"out/best.pt"'),
    "an ending says nothing": saved('{"model": model.state_dict()}', 'f"{args.out}.pt"'),
    "a schedule by a function": saved(
        '{"model": model.state_dict(), "optimizer": optimizer.state_dict()}',
        before="schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, args.rate)",
    ),
    "a schedule": saved(
        '{"model": model.state_dict(), "schedule": schedule.state_dict()}',
        before="schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3)",
    ),
}


@pytest.mark.parametrize("code", [*ONLY_STATE.values(), *PLAIN.values()], ids=[*ONLY_STATE, *PLAIN])
def test_what_surely_holds_tensors_alone_is_loaded_as_such(code: str) -> None:
    assert "TRN806" in fixes(code, "TRN806")


@pytest.mark.parametrize("code", [*MAY_HOLD_MORE.values(), *NOT_PLAIN.values()], ids=[*MAY_HOLD_MORE, *NOT_PLAIN])
def test_what_may_hold_more_is_left_to_a_person(code: str) -> None:
    assert "TRN806" not in fixes(code, "TRN806")


@pytest.mark.parametrize(("more", "offered"), [("", True), (', "args": args', False)])
def test_what_another_file_saves_counts(
    more: str, offered: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "saving.py").write_text(
        "import torch\nfrom torch import nn\n\n\ndef save(model: nn.Module, args, folder):\n"
        f'    torch.save({{"model": model.state_dict(){more}}}, folder / "last.pt")\n'
    )
    (tmp_path / "main.py").write_text(
        "import torch\n\nfrom saving import save\n\n\ndef main(model, args, folder):\n    save(model, args, folder)\n"
        '    model.load_state_dict(torch.load(folder / "last.pt")["model"])\n'
    )
    words = ["--preview", "--select", "TRN806", "--output-format", "json", "--isolated", "--no-cache"]
    assert main(["check", str(tmp_path), *words]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["fix"] is not None) is offered
