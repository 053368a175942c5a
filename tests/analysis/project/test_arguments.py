"""Which branches can a training step take, by the constants that its calls and constructors pass?"""

from __future__ import annotations

import pytest

from tests.analysis.project.project import check, each_step

NET = """
    from torch import nn

    class Net(nn.Module):
        def __init__(self, width, draws=True, reduce="mean"):
            super().__init__()
            self.draws = draws
            self.quiet = not draws
            self.reduce = reduce

        def forward(self, x):
            if self.draws:
                print(x)  #= {drawing}
            if not self.quiet:
                print(x)  #= {drawing}
            if self.reduce == "none":
                print(x)  #= {kept}
            return x.sum()
"""


def net(made: str, drawing: str, kept: str) -> dict[str, str]:
    """A training script that makes its model so, and how often branches of the model run."""
    return {
        "train.py": each_step(f"from net import Net\n\nmodel = {made}\n"),
        "net.py": NET.format(drawing=drawing, kept=kept),
    }


def helper(parameter: str, calls: str, test: str, heat: str) -> dict[str, str]:
    """A training script that calls a helper so, and how often a branch of the helper runs."""
    return {
        "train.py": each_step("from work import score", *calls.split("; ")),
        "work.py": f"""
            def score(x, {parameter}):
                if {test}:
                    print(x)  #= {heat}
                return x
        """,
    }


PROJECTS = {
    "a flag that one call sets": helper("table=False", "score(batch); score(batch, True)", "table", "step"),
    "a flag that a call computes": helper("table=False", "score(batch, table=wanted)", "table", "step"),
    "a flag that may be unpacked": helper("table=False", "score(batch, **options)", "table", "step"),
    "another word": helper("kind='loss'", "score(batch, kind='loss')", "kind != 'predict'", "step"),
    "one of two tests": helper("fast=True, deep=True", "score(batch, fast=False)", "fast or deep", "step"),
    "a constructor that gets what nobody knows": net("Net(64, draws=wanted, reduce=how)", "step", "step"),
    "a parameter that is assigned before it is handed on": {
        "train.py": each_step("from work import outer", "outer(batch, table=False)"),
        "work.py": """
            def outer(x, table=True):
                table = table or x.training
                return inner(x, table)

            def inner(x, table):
                if table:
                    print(x)  #= step
                return x
        """,
    },
    "a loop that trains or evaluates, as each call says": {
        "train.py": """
            def run(loader, learn):
                for batch in loader:
                    loss = model(batch)
                    if learn:
                        loss.backward()
                        optimizer.step()
                    else:
                        print(loss)  #= eval-step

            run(train_loader, True)
            run(val_loader, False)
        """,
    },
}


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS.keys())
def test_arguments_decide_about_branches(files: dict[str, str]) -> None:
    check(files)
