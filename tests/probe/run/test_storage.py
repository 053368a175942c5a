"""Evidence comes back from its file as it went in, and what is damaged says where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trainlint.evidence.as_json import Damaged, to_json
from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import OUTCOMES, Environment, Loader, Memory, Optimizer, Phase, Run, Seen, Step
from trainlint.symptoms import Symptom
from trainlint_probe.storage import read_run, write_run

RUN = Run(
    command=("python", "train.py"),
    environment=Environment({"torch": "2.13.0"}, ("Something is off.",)),
    outcome=next(iter(OUTCOMES)),
    warmup=10,
    steps=(Step(12.5, {Phase.FORWARD: 10.5, Phase.OTHER: 2.0}, 2, Memory(100, peak=200)), Step(3.0, {})),
    seen=(
        Seen(
            at=Line("train.py", 3),
            symptom=Symptom.HOST_SYNC,
            what="Tensor.item",
            calls=2,
            recoverable=Interval(0.5, 1.5),
            details={"dtype": "torch.float32"},
        ),
    ),
    loaders=(Loader(Line("train.py", 1), None, {"num_workers": "0"}, 30, 4.0),),
    optimizers=(Optimizer("AdamW", Line("train.py", 9), 30, "foreach", 4),),
    notes=("Seen through a glass.",),
)


def test_a_run_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "evidence.rank0.json"
    write_run(RUN, path)
    assert read_run(path) == RUN
    assert [file.name for file in tmp_path.iterdir()] == ["evidence.rank0.json"]


def damaged(path: Path, value: Any) -> str:
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    with pytest.raises(Damaged) as raised:
        read_run(path)
    return str(raised.value)


def with_run(**changes: Any) -> dict[str, Any]:
    return {"trainlint evidence": 1, "run": {**to_json(RUN), **changes}}


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("{", "is not JSON"),
        ([1], "says nothing of its layout"),
        ({"trainlint evidence": 99}, "has layout 99"),
        (with_run(rank="first"), 'rank should be a whole number, and is "first"'),
        (with_run(rank=True), "rank should be a whole number, and is true"),
        (with_run(steps=3), "steps should be an array, and is 3"),
        (with_run(steps=[{"ms": 1.0, "phases": {"lunch": 1.0}}]), "steps[0].phases should be one of"),
        (with_run(steps=[{"phases": {}}]), "steps[0].ms is missing"),
        (with_run(seen=[{"at": {"path": "a.py", "line": 1.5}}]), "seen[0].at.line should be a whole number"),
        (with_run(colour="red"), "Run has 'colour', which is not known"),
        ({"trainlint evidence": 1, "run": None}, "it should be an object, and is null"),
    ],
)
def test_what_is_damaged_says_where(tmp_path: Path, value: Any, sentence: str) -> None:
    path = tmp_path / "evidence.rank0.json"
    said = damaged(path, value)
    assert sentence in said
    assert str(path) in said
    assert "trainlint probe" in said


def test_numbers_that_are_none_are_refused(tmp_path: Path) -> None:
    from dataclasses import replace

    with pytest.raises(ValueError, match="JSON"):
        write_run(replace(RUN, steps=(Step(float("nan"), {}),)), tmp_path / "evidence.rank0.json")
    assert not list(tmp_path.iterdir())
