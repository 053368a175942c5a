"""Tests for something missing, which the branch makes."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition
from tests.analysis.facts import file_model, marked
from trainlint.analysis.conditions.condition import ConditionKind


@pytest.mark.parametrize(
    ("test", "body"),
    [
        ("model.table is None", "model.table = make()"),
        ("not model.table", "model.table = make()"),
        ('not hasattr(model, "table")', "model.table = make()"),
        ('not hasattr(model, "table")', 'setattr(model, "table", make())'),
        ("key not in cache", "cache[key] = make()"),
        ("key not in model.cache", "model.cache[key] = make()"),
        ("len(model.seen) == 0", "model.seen.append(step)"),
        ('cache["table"] is None', 'cache["table"] = make()'),
    ],
)
def test_the_first_time(test: str, body: str) -> None:
    found = condition(test, body=body)
    assert (found.kind, found.rare) == (ConditionKind.FIRST_TIME, True)
    assert not condition(test, body="act()").rare


def test_what_ends_with_the_iteration_is_made_in_each() -> None:
    assert not condition("table is None", before="table = None", body="table = make()").rare


def test_an_early_exit_before_it_is_made() -> None:
    found = condition("True", before="if model.table is not None:\n    continue\nmodel.table = make()")
    assert found.kind is ConditionKind.ALWAYS  # the test itself; what is around it is read in test_around


_SWITCHED_OVER = {
    "what a method fills of the object that it is passed": """
        class Averaging:
            def build(self, run):
                run.loss.average = copy(run.net)
            def watch(self, run):
                self.seen = run.loss.average
            def on_update(self, run):
                if run.loss.average is None:
                    self.build(run)  #= first
                else:
                    self.watch(run)  #= often
                if run.loss.average is None:
                    self.watch(run)  #= often
                if run.loss.average is None:
                    self.build(run.other)  #= often
    """,
    "filled in the loop": """
        table = None
        for cells in train_loader:
            model(cells).backward()
            if table is None:
                table = cells.cpu()  #= first
    """,
    "a flag": """
        shown = False
        for cells in train_loader:
            model(cells).backward()
            if not shown:
                print(cells)  #= first
                shown = True
    """,
    "a flag that is on at first": """
        fresh = True
        for cells in train_loader:
            model(cells).backward()
            if fresh:
                print(cells)  #= first
                fresh = False
    """,
    "set anew in each iteration": """
        for cells in train_loader:
            found = None
            model(cells).backward()
            for part in cells:
                if found is None:
                    found = part  #= often
    """,
    "a branch that leaves it as it was": """
        table = None
        for cells in train_loader:
            model(cells).backward()
            if table is None:
                table = None  #= often
    """,
    "a table of the module that is filled": """
        TABLES = {}
        def table_for(size):
            global TABLES
            if size not in TABLES:
                TABLES[size] = make(size)  #= first
            return TABLES[size]
    """,
    "a flag of the object": """
        class Net:
            def __init__(self):
                self.fresh = True
            def forward(self, cells):
                if self.fresh:
                    print(cells)  #= first
                    self.fresh = False
    """,
    "a flag of the object that another method sets in each step": """
        class Net:
            def __init__(self):
                self.stale = False
            def backward(self, loss):
                loss.backward()
                self.stale = True
            def gather(self):
                if self.stale:
                    print(self.parts)  #= often
                    self.stale = False
            def step(self):
                self.gather()
    """,
    "a result that each forward drops": """
        class Net:
            def __init__(self):
                self.mask = None
            def forward(self, cells):
                self.mask = None
                return self.blocks(cells)
            def masked(self, cells):
                if self.mask is None:
                    self.mask = make(cells)  #= often
                return self.mask
    """,
    "a test for what is not there yet, whose flag each step clears": """
        class Scaled:
            def __init__(self):
                self.ready = False
            def zero_grad(self):
                self.ready = False
            def unscale(self):
                if not self.ready:
                    print(self.scale)  #= often
                    self.ready = True
    """,
    "a flag of the object that is set back now and then": """
        class Net:
            def __init__(self):
                self.fresh = True
            def reload(self, path):
                self.fresh = True
            def forward(self, cells):
                if self.fresh:
                    print(cells)  #= first
                    self.fresh = False
    """,
    "a flag of the object that each call sets": """
        class Net:
            def forward(self, cells):
                self.fresh = True
                if self.fresh:
                    print(cells)  #= often
                    self.fresh = False
    """,
}


@pytest.mark.parametrize("code", _SWITCHED_OVER.values(), ids=_SWITCHED_OVER.keys())
def test_what_a_branch_switches_over_holds_once(code: str) -> None:
    model = file_model(code)
    for _, block, said in marked(model):
        conditions = model.conditions.around(block)
        first = any(condition.kind is ConditionKind.FIRST_TIME for condition in conditions)
        assert first is (said == "first")


@pytest.mark.parametrize("default", ["False", "True"])
def test_a_switch_that_is_off_is_nothing_missing(default: str) -> None:
    model = file_model(f"""
        def scan(cells, backwards={default}):
            if not backwards:
                grow(cells)  #= here
    """)
    [(_, block, _)] = marked(model)
    assert all(condition.kind is not ConditionKind.MISSING for condition in model.conditions.around(block))


def test_a_parameter_that_is_empty_by_default_may_be_missing() -> None:
    model = file_model("""
        def scan(cells, mask=()):
            if not mask:
                mask = grow(cells)  #= here
    """)
    [(_, block, _)] = marked(model)
    assert [condition.kind for condition in model.conditions.around(block)] == [ConditionKind.MISSING]
