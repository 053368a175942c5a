"""Training scripts whose waits and copies were planned, line by line, before they ran on the simulated GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchmarks.simulated
from benchmarks.simulated.counting import counted
from benchmarks.simulated.plans import At, planned

SCRIPTS = Path(benchmarks.simulated.__file__).parent / "scripts"
NEEDS = {
    "with_lightning": ("lightning",),
    "with_trainer": ("transformers", "accelerate"),
    "with_accelerate": ("accelerate",),
}
WARMUP, STEPS = 3, 10


def cases() -> list[object]:
    """Each script; those that need a framework are slow."""
    names = sorted(path.stem for path in SCRIPTS.glob("*.py"))
    return [pytest.param(name, marks=[pytest.mark.slow] if name in NEEDS else []) for name in names]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", cases())
def test_each_line_of_a_script_does_what_it_plans_and_no_other_line_does_anything(name: str) -> None:
    for module in NEEDS.get(name, ()):
        pytest.importorskip(module)
    script = SCRIPTS / f"{name}.py"

    assert counted(script, warmup=WARMUP, steps=STEPS) == planned(script.read_text(), STEPS)


def test_a_plan_counts_for_its_line() -> None:
    source = "a()  # wait 2/step; copy to host 1/5 steps\nb()  # waits for the mail\n"

    assert planned(source.replace("waits", "it waits"), 10) == {At(1, "wait"): 20, At(1, "copy to host"): 2}


@pytest.mark.parametrize(
    ("comment", "error"),
    [("wait twice", "line 1: 'wait twice' is no plan"), ("wait 1/3 steps", "10 steps are no multiple of 3")],
)
def test_a_plan_that_cannot_be_read_is_an_error(comment: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        planned(f"a()  # {comment}\n", 10)
