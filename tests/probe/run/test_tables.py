"""The steps after the window from which the tables of operators and modules come, where there is no device."""

from __future__ import annotations

import gzip
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import torch

from tests.probe.run.running import Runner, only
from trainlint_probe.launch import Launched
from trainlint_probe.profile_tables.tables import ProfileTables, tables_of
from trainlint_probe.traces.events import read_events
from trainlint_probe.watch import hooks
from trainlint_probe.watch.afterwards import deeper


def tables(launched: Launched) -> ProfileTables:
    (trace,) = launched.traces
    found = tables_of(read_events(trace))
    assert found is not None
    return found


def briefly(runner: Runner, script: str, *arguments: str, **orders: Any) -> Launched:
    """As the command does where nobody has asked for more."""
    return runner.run(script, *arguments, deep_steps=3, deep_without_device=False, **orders)


def test_a_run_on_a_cpu_has_tables_from_steps_after_the_window(runner: Runner) -> None:
    launched = briefly(runner, "layers")
    run, found = only(launched), tables(launched)
    assert len(run.steps) == 8  # as many as were asked for, none of them under the profiler
    assert found.steps == 2
    assert found.operators is not None
    assert {"aten::addmm", "aten::relu"} <= {row.name for row in found.operators.rows}
    assert 0 < found.operators.covered_ms <= found.step_ms
    assert found.modules is not None
    rows = {row.path: row for row in found.modules.rows}
    assert rows.keys() == {"Net", "Net.body.0", "Net.body.1", "Net.head", "MSELoss", "Net.body"}
    assert all(row.calls == 1 for row in rows.values())
    assert rows["Net.body.0"].forward_ms >= 5  # it sleeps
    assert rows["Net.head"].backward_ms
    assert found.modules.forward_ms + (found.modules.backward_ms or 0) + found.modules.unlinked_ms <= found.step_ms
    assert [note for note in run.notes if "got no gradient" in note] == [
        "Of 5 parameters that optimizers hold, 2 parameters (0.1 kB) got no gradient in 3 steps after the measured "
        "ones: Net.unused.weight, Net.unused.bias. If no step uses them, leave them out of the model, or freeze "
        "them by requires_grad_(False)."
    ]
    assert run.profiled_s is not None
    assert run.profiled_s >= 3 * fmean(step.ms for step in run.steps) / 1000 * 0.5


def test_each_of_two_models_has_its_modules(runner: Runner) -> None:
    found = tables(briefly(runner, "layers", "two"))
    assert found.modules is not None
    assert {"Net.head", "Net#2.head"} <= {row.path for row in found.modules.rows}


def test_compiled_parts_are_not_compiled_anew_for_it(runner: Runner) -> None:
    launched = briefly(runner, "compiled")
    found = tables(launched)
    assert found.modules is None
    assert found.operators is not None


def test_long_steps_are_recorded_once_or_not_at_all(runner: Runner) -> None:
    assert tables(briefly(runner, "layers", "slow", warmup=1, warmup_limit=2, steps=2)).steps == 1


def test_ranks_take_no_further_steps(runner: Runner) -> None:
    launched = briefly(runner, "layers", processes=2)
    assert launched.traces == ()


class Profiler:
    """Writes a trace of a thousand bytes."""

    def export_chrome_trace(self, path: str) -> None:
        Path(path).write_text("x" * 1000)


def test_a_trace_that_would_take_long_to_read_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tmp_path / "trace.rank0.json.gz"
    monkeypatch.setattr(deeper, "_MOST_BYTES", 999)
    assert not deeper._written_if_small(Profiler(), trace)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(deeper, "_MOST_BYTES", 1000)
    assert deeper._written_if_small(Profiler(), trace)
    assert [path.name for path in tmp_path.iterdir()] == [trace.name]
    assert gzip.decompress(trace.read_bytes()) == b"x" * 1000


def test_a_gpu_that_is_left_alone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert hooks._unused_gpu().startswith("There is a GPU, and this training did not use it")
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    assert hooks._unused_gpu() == ""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert hooks._unused_gpu() == ""
