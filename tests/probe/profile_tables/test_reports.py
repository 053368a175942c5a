"""The tables as people see them: short in the terminal, longer where they ask for it, and said against the step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.probe import samples
from tests.probe.traces.builder import TraceBuilder
from trainlint.cli import main
from trainlint.evidence import Line, Phase, Run, Sampled
from trainlint.report.settings import Style
from trainlint_probe.judgement.step_times import line_times
from trainlint_probe.report.terminal import render
from trainlint_probe.traces.places import MODULE


def about(value: float) -> Any:
    """Equal but for rounding."""
    return pytest.approx(value)


def run() -> Run:
    """Steps of 54.6 ms, of which 30.8 wait for data; most of that at one line."""
    item = Line("src/data.py", 12)
    lines = (
        Sampled(Phase.DATA_WAIT, item, "__getitem__", 0.9, "PIL/Image.py:990"),
        Sampled(Phase.BACKWARD, Line("train.py", 76), "train", 0.5),
    )
    return replace(samples.run(), lines=lines, looks=160, profiled_s=0.83)


def shown(*, verbose: bool = False, on_device: bool = False, rows: int = 30) -> str:
    tables = samples.tables(on_device=on_device, rows=rows)
    return render([run()], [], Style(width=140), tables=tables, verbose=verbose)


def test_the_terminal_names_five_operators_and_how_much_they_are() -> None:
    lines = shown().splitlines()
    start = lines.index("Operators, by their own time in a step:")
    assert lines[start + 1] == "    host ms    share   calls"
    assert lines[start + 2] == "      8.000    20.0%       3  aten::op0"
    assert lines[start + 6] == "      0.500     1.2%       3  aten::op4"
    assert lines[start + 7] == "  and 9 operators more with 0.499 ms"
    assert lines[start + 8] == (
        "  Operators take 40% of the host's time; the rest is Python, waiting and the profiler itself."
    )


def test_the_terminal_names_five_modules_forward_and_backward() -> None:
    lines = shown().splitlines()
    start = lines.index("Modules, by their own time in a step, without the modules inside of them:")
    assert lines[start + 2] == "      2.000       4.000       1  Net.layer0"
    assert "Net.layer5" not in shown()
    assert lines[start + 8] == (
        "  Modules take 30% of the host's time (forward 10%, backward 20%); 3% is backward of no module."
    )
    assert lines[start + 9] == (
        "  From 2 steps after the measured ones, under PyTorch's profiler: 40.0 ms a step there, 54.6 ms without it; "
        "recording them took 0.8 s."
    )


def test_with_a_device_its_time_comes_first() -> None:
    text = shown(on_device=True)
    assert "  device ms   host ms   calls\n      4.000     8.000       3  aten::op0\n" in text
    assert "They asked for 50% of the device's work (16.0 ms)." in " ".join(text.split())
    assert "They asked for 25% of the device's work (16.0 ms)." in " ".join(text.split())
    assert "      4.000       2.000       4.000       1  Net.layer0\n" in text


def test_of_a_long_path_the_end_is_shown() -> None:
    tables = samples.tables(rows=1)
    assert tables.modules is not None
    row = replace(tables.modules.rows[0], path=f"Net.{'layer.' * 20}head")
    long = replace(tables, modules=replace(tables.modules, rows=(row,)))
    (line,) = [line for line in render([run()], [], Style(), tables=long).splitlines() if line.endswith("layer.head")]
    assert "  ..." in line
    assert len(line) <= Style().width


def test_verbose_shows_more_rows_and_the_lines() -> None:
    assert "Lines, by their time in a step:" not in shown()
    text = shown(verbose=True)
    assert "aten::op13" in text
    assert "     27.744    50.8%  src/data.py:12 in __getitem__ (data wait), by PIL/Image.py:990\n" in text
    assert "  These lines take 60% of the step, by 160 looks.\n" in text


def test_a_line_takes_its_share_of_the_time_of_its_phase() -> None:
    phases = {Phase.DATA_WAIT: 30.0, Phase.BACKWARD: 10.0}
    one = replace(run(), steps=(replace(samples.step(0), ms=40.0, phases=phases),))
    assert [(item.at.path, item.ms, item.share) for item in line_times(one)] == [
        ("src/data.py", about(27.0), about(0.675)),
        ("train.py", about(5.0), about(0.125)),
    ]


def test_names_of_operators_cannot_steer_a_terminal() -> None:
    tables = samples.tables(rows=1)
    assert tables.operators is not None
    row = replace(tables.operators.rows[0], name="mine::\x1b[2Jop")
    hostile = replace(tables, operators=replace(tables.operators, rows=(row,)))
    assert "\x1b" not in render([run()], [], Style(), tables=hostile)


def test_the_tables_of_a_trace_come_from_the_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = TraceBuilder()
    trace.steps(10, 3)
    for start in (0, 10, 20):
        trace.operator("aten::conv2d", start + 1, start + 5)
    assert main(["probe", "--trace", str(trace.write(tmp_path / "trace.json"))]) == 0
    text = capsys.readouterr().out
    assert "      4.000    40.0%       1  aten::conv2d\n" in text
    assert "From 2 steps of the trace; PyTorch's profiler makes steps longer.\n" in text


def test_a_trace_without_steps_is_told_as_a_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = TraceBuilder()
    trace.operator("aten::conv2d", 1, 5)
    trace.annotation(f"{MODULE}Net", 0, 8)
    assert main(["probe", "--trace", str(trace.write(tmp_path / "trace.json"))]) == 0
    text = capsys.readouterr().out
    assert "Operators, by their own time in the trace:" in text
    assert "Modules, by their own time in the trace, without the modules inside of them:" in text
    assert "From the whole trace, which marks no steps" in text
    assert "a step" not in text[text.index("Operators, by") : text.index("From the whole trace")]
