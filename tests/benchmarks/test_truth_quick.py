"""The truth by running of three libraries, from the scripts to the tables, with the environment of these tests."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.truth.__main__ import main
from benchmarks.truth.record import from_json
from benchmarks.truth.run import record_of
from benchmarks.truth.scripts_of import read_scripts

QUICK = {"accelerate_loop": "accelerate", "lightning_trainer": "lightning", "torchmetrics_suite": "torchmetrics"}


@pytest.mark.slow
def test_three_libraries_give_their_tables_and_the_same_lines_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for library in QUICK.values():
        pytest.importorskip(library)
    output = tmp_path / "found.json"
    words = [*QUICK, "--python", sys.executable, "--results", str(tmp_path), "-o", str(output)]
    assert main(words) == 0, capsys.readouterr().out
    found = json.loads(output.read_text("utf-8"))
    assert sorted(found) == sorted(QUICK.values())
    assert all(library["lines"] for library in found.values())

    for script in read_scripts():
        if script.name in QUICK:
            first = from_json(json.loads((tmp_path / f"{script.name}.json").read_text("utf-8")))
            assert record_of(script, Path(sys.executable)) == first
