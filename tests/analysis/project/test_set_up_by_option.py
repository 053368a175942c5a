"""What a program sets up in another file only if an option asks for it."""

from __future__ import annotations

import pytest

from tests.analysis.project.project import project
from trainlint.finding import Heat

SEEDING = """
    import torch

    def fix(seed):
        torch.backends.cudnn.deterministic = True

    def fix_on(seed, rank):
        fix(seed + rank)

    def fix_all(seeds):
        fix_on(seeds[0], 0)
"""
MAIN = """
    import argparse
    from seeding import fix, fix_all, fix_on

    def main():
        parser = argparse.ArgumentParser()
        parser.add_argument("--fixed", action="store_true")
        parser.add_argument("--seed", type=int, default=None)
        args = parser.parse_args()
        {}

    if __name__ == "__main__":
        main()
"""


@pytest.mark.parametrize(
    ("call", "optional"),
    [
        ("fix(0)", False),
        ("if args.fixed: fix(0)", True),
        ("if args.seed is not None: fix_on(args.seed, 0)", True),
        ("if not args.fixed: fix(0)", False),
        ("if args.fixed: fix(0)\n        else: fix(1)", False),
        ("if args.fixed: fix(0)\n        fix_all([1])", False),
    ],
)
def test_calls_behind_options_that_are_off(call: str, *, optional: bool) -> None:
    model = project({"main.py": MAIN.format(call), "seeding.py": SEEDING}).models["seeding.py"]
    heat = model.heats.of(model.outline.functions[0].body)
    assert (heat.heat, heat.optional) == (Heat.ONCE, optional)
