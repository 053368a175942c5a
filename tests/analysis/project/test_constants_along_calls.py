"""Branches that no call of a project takes, by the constants that calls and constructors pass."""

from __future__ import annotations

import pytest

from tests.analysis.project.project import check

OPTIMIZER = """
    import torch

    class Layerwise(torch.optim.Optimizer):
        def __init__(self, params, clip=True, rate=0.1):
            super().__init__(params, dict(rate=rate))
            self.clip = clip

        def step(self):
            for p in self.params:
                if self.clip:
                    shrink(p)  #= {clipped}
                p.add_(p.grad)  #= inner
"""
BUILD = """
    from optimizer import Layerwise

    def build(model):
        return Layerwise(model.parameters(), {arguments})
"""
NORM = """
    from {module} import inf

    def norm_of(grads, norm_type=2.0):
        norm_type = float(norm_type)
        if norm_type == {infinity}:
            return max(g.abs().max() for g in grads)  #= {largest}
        total = sum(g.norm(norm_type) for g in grads)
        return total  #= step
"""
TRAIN = """
    from norms import norm_of

    for batch in train_loader:
        model(batch).backward()
        norm_of(grads{argument})
"""


@pytest.mark.parametrize(
    ("arguments", "clipped"), [("clip=False", "rare"), ("False", "rare"), ("", "inner"), ("clip=args.clip", "inner")]
)
def test_an_option_of_the_only_construction(arguments: str, clipped: str) -> None:
    check({"optimizer.py": OPTIMIZER.format(clipped=clipped), "build.py": BUILD.format(arguments=arguments)})


@pytest.mark.parametrize(
    ("infinity", "module"), [("inf", "torch"), ("float('inf')", "math"), ("inf", "math"), ("float('Infinity')", "math")]
)
@pytest.mark.parametrize(
    ("argument", "largest"),
    [("", "rare"), (", 1", "rare"), (", norm_type=3.0", "rare"), (", norm_type=args.norm", "step")],
)
def test_a_norm_that_no_call_asks_for(infinity: str, module: str, argument: str, largest: str) -> None:
    norms = NORM.format(infinity=infinity, module=module, largest=largest)
    check({"norms.py": norms, "train.py": TRAIN.format(argument=argument)})


def test_a_norm_that_a_call_asks_for() -> None:
    norms = NORM.format(infinity="inf", module="torch", largest="step").replace("return total  #= step", "return total")
    check({"norms.py": norms, "train.py": TRAIN.format(argument=", float('inf')")})
