"""Options that are off by default: what they guard is not executed in each step."""

from __future__ import annotations

import ast
from typing import Final

import pytest

from tests.interpreter.running import places, run_files
from trainlint.interpreter.operations import execute_project

_PROGRAM: Final = """
import argparse
import torch
from torch.utils.data import DataLoader
parser = argparse.ArgumentParser()
parser.add_argument({option})
args = parser.parse_args()
{then}
model = torch.nn.Linear(3, 3).cuda()
for batch in DataLoader([]):
    output = model(batch.cuda(non_blocking=True))
    output.sum().backward()
    if {test}:
        output.sum().item()
"""


def _told(option: str, test: str, then: str = "") -> int:
    return len(places(run_files([("train.py", _PROGRAM.format(option=option, test=test, then=then))])[1]))


@pytest.mark.parametrize(
    ("option", "test"),
    [
        ("'--masks', action='store_true'", "args.masks"),
        ("'--masks', type=bool, default=False", "args.masks"),
        ("'--weight', type=float, default=0.0", "args.weight > 0"),
        ("'--weight', type=float, default=0.0", "args.weight"),
        ("'--weight', type=float, default=0", "args.weight != 0"),
        ("'--weight', type=float, default=0", "0 < args.weight"),
        ("'--teacher', default=None", "args.teacher is not None"),
        ("'--teacher', type=str", "args.teacher"),
        ("'--loss', default='l1'", "args.loss == 'iou'"),
        ("'--loss', default='l1'", "args.loss in ('iou', 'giou')"),
        ("'--loss', default='l1'", "args.loss != 'l1'"),
        ("'--other'", "args.disable_adapters"),
        ("'--other'", "getattr(args, 'masks', False)"),
        ("'--other'", "config.get('masks', False)"),
    ],
)
def test_an_option_that_is_off_by_default_guards_no_step(option: str, test: str) -> None:
    assert _told(option, test) == 0


@pytest.mark.parametrize(
    "test", ["args.loss == 'l1'", "args.loss in ('l1', 'l2')", "args.loss != 'iou'", "args.device == 'cuda'"]
)
def test_an_option_that_has_its_default_guards_a_step(test: str) -> None:
    assert _told("'--loss', default='l1'", test) == 1


_CONFIGURED: Final = """
import torch
from torch.utils.data import DataLoader
from settings import cfg
model = torch.nn.Linear(3, 3).cuda()
for batch in DataLoader([]):
    output = model(batch.cuda(non_blocking=True))
    output.sum().backward()
    if cfg.masks:
        output.sum().item()
"""


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("cfg = Config({'masks': False})", 0),
        ("cfg = Config({'masks': True})", 1),
        ("base = Config({'masks': False})\ncfg = base.copy({'masks': True})", 1),
    ],
)
def test_a_configuration_in_code_says_what_is_off(settings: str, told: int) -> None:
    files = [("settings.py", f"from library import Config, measured\n{settings}\n"), ("train.py", _CONFIGURED)]
    assert len(places(run_files(files)[1])) == told


@pytest.mark.parametrize(
    ("option", "test", "then"),
    [
        ("'--masks', action='store_false'", "args.masks", ""),
        ("'--weight', type=float, default=0.5", "args.weight > 0", ""),
        ("'--weight', type=float, default=0.0", "args.weight == 0", ""),
        ("'--weight', type=float, required=True", "args.weight", ""),
        ("'weight', type=float", "args.weight", ""),
        ("'--teacher', default=None", "args.teacher is None", ""),
        ("'--masks', action='store_true'", "args.masks", "args.masks = True"),
        ("'--masks', action='store_true'", "args.masks", "if args.size > 3: args.masks = measured"),
        ("'--other'", "getattr(args, 'masks', True)", ""),
        ("'--other'", "config.get('masks', True)", ""),
    ],
)
def test_an_option_that_is_on_or_set_by_the_program_may_guard_a_step(option: str, test: str, then: str) -> None:
    assert _told(option, test, then) == 1


def test_an_attribute_that_an_object_turns_on_is_not_off() -> None:
    code = """
import torch
class Net(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.checked = config.get("checked", False)
        {then}
    def forward(self, x: torch.Tensor):
        if self.checked:
            x.sum().item()
        return x
"""
    assert places(run_files([("net.py", code.format(then=""))])[1]) == []
    turned_on = code.format(then="self.checked = config.whatever > 3")
    assert places(run_files([("net.py", turned_on)])[1]) == ["net.py:10 ITEM presumed"]


_NET: Final = """
import torch
class Part(torch.nn.Module):
    def __init__(self, weight=0.0, share: float = 0.5):
        super().__init__()
        self.weight, self.share = weight, share
    def forward(self, x, labels=None, cache=None, extra=None):
        if {test}:
            print(x.sum().item())
        return x
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part({given})
    def forward(self, x, y):
        return self.part(x, y)
"""


@pytest.mark.parametrize(
    ("test", "given", "told"),
    [
        ("self.weight > 0", "", 0),
        ("self.weight > 0", "weight=0.1", 1),
        ("self.weight > 0", "whatever", 1),
        ("self.share > 0", "", 1),
    ],
)
def test_a_number_that_is_zero_by_default_is_off_unless_a_caller_gives_one(test: str, given: str, told: int) -> None:
    assert len(places(run_files([("net.py", _NET.format(test=test, given=given))])[1])) == told


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ("labels is None", 0),
        ("labels is not None", 1),
        ("cache is None", 1),
        ("cache is not None", 0),
        ("extra is None", 1),
        ("extra is not None", 1),
    ],
)
def test_a_presumed_forward_pass_is_given_labels_and_no_cache(test: str, told: int) -> None:
    code = _NET.format(test=test, given="").partition("class Net")[0]
    assert len(places(run_files([("net.py", code)])[1])) == told


def test_an_option_that_a_file_of_the_project_sets_is_not_off() -> None:
    code = _PROGRAM.format(option="'--masks', action='store_true'", test="args.masks", then="")
    code += "    if config.get('checked', False): output.max().item()\n"
    files = [("train.py", ast.parse(code))]
    turned_on = execute_project(files, turned_on=frozenset({"masks", "checked"}))
    assert len(turned_on.operations["train.py"]) == len(execute_project(files).operations["train.py"]) + 2


@pytest.mark.parametrize(("then", "waits"), [("model.use_l1 = True", 1), ("other = True", 0)])
def test_a_flag_that_code_sets_on_an_object_which_is_not_known_may_be_on(then: str, waits: int) -> None:
    code = f"""
import torch
class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.use_l1 = False
    def forward(self, x: torch.Tensor):
        if self.use_l1:
            x.sum().item()
        return x
def last_epochs(model):
    {then}
"""
    assert len(places(run_files([("train.py", code)])[1])) == waits
