"""Operations that stand in a step and are executed in few of them, or with a value of the host."""

from __future__ import annotations

import pytest

from tests.interpreter.running import told_in_a_step


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("if step % 100 == 0 and output.sum() > 3: pass", id="after an interval in the same test"),
        pytest.param("if step % 100 and True or output.sum() > 3: pass", id="after `or`"),
        pytest.param("late = step % 100 == 0 and output.sum().item() > 3", id="after an interval in a value"),
        pytest.param("if args.debug > 0: print(output.sum().item())", id="a level of debugging"),
        pytest.param("if args.verbose >= 1: print(output.sum().item())", id="a level of output"),
        pytest.param("if [output][0] != []: pass", id="a comparison with an empty list"),
        pytest.param("if type(output.sum()) is int: output.sum().item()", id="a tensor that is no number"),
        pytest.param("if output.numel() == 0: output.sum().item()", id="nothing to compute with"),
        pytest.param("if not len(batch) > 0: output.sum().item()", id="an empty batch"),
    ],
)
def test_a_test_says_that_an_operation_is_seldom(statement: str) -> None:
    assert told_in_a_step(statement) == []


def test_a_warning_of_rare_data_is_seldom() -> None:
    assert told_in_a_step("if output.min() < -1: print('clipped', output.min())") == ["TEST sure"]
    assert told_in_a_step("if output.min() < -1: total = output.min().item()") == ["ITEM sure", "TEST sure"]


def test_mostly_something_is_valid() -> None:
    mask = "valid_mask = output > 3\n    if not valid_mask.any(): torch.tensor(0.0, device='cuda')"
    assert told_in_a_step(mask) == ["TEST sure"]


def test_what_a_global_name_holds_is_made_once() -> None:
    code = "kernel = None\ndef load():\n    global kernel\n    if ready:\n        kernel = torch.arange(8).cuda()\n"
    use = "def use():\n    global kernel\n    if kernel is None:\n        load()\n"
    assert told_in_a_step("use()", code + use) == []


@pytest.mark.parametrize("statement", ["if 3 and output.sum() > 3: pass", "if late or output.sum() > 3: pass"])
def test_an_operation_after_and_or_or_may_be_executed_in_each_step(statement: str) -> None:
    assert told_in_a_step(statement) == ["TEST sure"]


@pytest.mark.parametrize("test", ["isinstance(value, torch.Tensor)", "not isinstance(value, (int, float))"])
def test_a_number_is_no_tensor_whatever_a_helper_asks(test: str) -> None:
    helper = f"def meter(value):\n    if {test}:\n        value = value.item()"
    assert told_in_a_step("meter(3)", helper) == []
    assert told_in_a_step("meter(output.sum())", helper) == ["ITEM sure"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("if self.table is None: self.fill(x)", id="by a method"),
        pytest.param("if self.size != x.size(0): self.size = x.size(0); {make}", id="by a key"),
        pytest.param("if self.table.shape != x.shape: self.table = {make}", id="by a shape"),
        pytest.param("if self.table.shape == x.shape: pass\n        else: self.table = {make}", id="else"),
        pytest.param("if self.table is not None: return x\n        self.table = {make}", id="after return"),
        pytest.param("if x.size(0) in self.held: return x\n        self.held[x.size(0)] = {make}", id="in a dict"),
        pytest.param(
            "table = self.table\n        if table.shape != x.shape: table = {make}; self.table = table", id="local"
        ),
        pytest.param("if self.size < x.size(0): self.size = x.size(0); {make}", id="by a larger key"),
        pytest.param("if self.table.size(0) < x.size(0): self.fill(x)", id="by a method, by a larger shape"),
        pytest.param("if self.table is None or self.table.size(0) != x.size(0): self.table = {make}", id="either"),
    ],
)
def test_what_fills_a_cache_is_executed_seldom(body: str) -> None:
    make = "torch.arange(8).to(x.device)"
    before = f"""
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.held, self.size = None, dict(), unknown
    def fill(self, x):
        self.table = {make}
    def forward(self, x):
        {body.format(make=make)}
        return x
net = Net()
"""
    assert told_in_a_step("net(output)", before) == []


def test_a_branch_that_stores_something_else_is_no_cache() -> None:
    before = """
class Net(torch.nn.Module):
    def forward(self, x):
        if self.size != x.size(0):
            self.shown = torch.arange(8).to(x.device)
        return x
net = Net()
"""
    assert told_in_a_step("net(output)", before) == ["MADE_ON_HOST sure"]


@pytest.mark.parametrize(
    "statement",
    [
        "envs.step(output.argmax().cpu().numpy())",
        "action = output.argmax().item(); self.env.step(action)",
        "actions = output.cpu().numpy() + np.random.normal(0, 1, (1, 4)); envs.step(actions.clip(low, high))",
        "envs.step(act(output))",
        "actions = np.zeros(3) if begins else output.cpu().numpy(); envs.step(actions)",
    ],
)
def test_actions_reach_an_environment_on_the_host(statement: str) -> None:
    helper = "def act(scores):\n    with torch.no_grad():\n        return scores.argmax().item()"
    assert told_in_a_step(statement, helper) == []
    assert told_in_a_step(statement.replace("env", "thing"), helper) != []
