"""What the terminal says of runs and traces, on wide and narrow ones and in ASCII."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from tests.probe import samples
from tests.probe.samples import render, render_trace
from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Cores, Environment, Run
from trainlint.evidence.verdicts import State
from trainlint.finding import Failure
from trainlint.report.settings import Style
from trainlint_probe.result import Ignored, Unjudged
from trainlint_probe.traces.reading import read_trace

MANY = [
    *samples.VERDICTS,
    *(replace(samples.SAVING, at=Line("src/deep/down/module.py", line)) for line in range(1, 10)),
    samples.hostile(),
]


def test_a_run_is_told_from_its_step_to_its_verdicts() -> None:
    lines = render([samples.run()], samples.VERDICTS, Style()).splitlines()
    assert lines[0] == "54.6 ms a step (median 51.4 ms, 30 steps after 10 of warm-up, cuda)"
    assert lines[1] == "A step is AdamW.step at train.py:77."
    assert f"  data wait          30.83 ms  56.4%  {'█' * 17}" in lines
    assert "1 confirmed; 1 inconclusive; 1 cannot be measured; 1 refuted; 1 not observed." in lines
    assert "confirmed    train.py:31  TRN101 loader-without-workers" in lines


def test_the_dearest_comes_first_and_what_asks_for_no_work_takes_a_line_each() -> None:
    text = render([samples.run()], samples.VERDICTS, Style())
    text = text[text.index("1 confirmed;") :]
    places = [text.index(f" {code}") for code in ("TRN101", "TRN201", "TRN205", "TRN303", "TRN310")]
    assert places == sorted(places)
    assert "refuted      src/evaluate.py:14  TRN303 evaluation-with-gradients (0.0–0.4% of a step)\n" in text
    assert samples.SAVING.sentence not in text
    assert f"N{samples.SAVING.sentence[1:]}." in render([samples.run()], samples.VERDICTS, Style(), verbose=True)


def test_what_asks_for_work_says_what_to_do() -> None:
    first, second = (replace(samples.LOADING, at=Line("train.py", line), help="pass it") for line in (1, 2))
    seen = replace(samples.LOADING, code="TRNP101", at=Line("train.py", 3), new=True)
    refuted = replace(samples.EVALUATION, help="leave it out")
    text = render([samples.run()], [first, second, seen, refuted], Style(), verbose=True)
    assert text.count("  help: pass it\n") == 1
    assert "  help: as at train.py:1\n" in text
    assert "  help: trainlint explain TRNP101\n" in text
    assert "leave it out" not in text


def test_what_a_simulated_run_refutes_is_told_with_its_count() -> None:
    never = replace(samples.EVALUATION, share=None, basis="simulation", sentence="never in 20 steps")
    assert "TRN303 evaluation-with-gradients: never in 20 steps\n" in render([samples.run()], [never], Style())


def test_of_many_that_ask_for_no_work_only_some_are_named() -> None:
    text = render([samples.run()], MANY, Style())
    assert text.count("not observed src") + text.count("not observed train.py") == 5
    assert "and 5 more: not observed; --verbose shows all, with reasons" in text
    assert render([samples.run()], MANY, Style(), verbose=True).count("TRN310") == 10


def test_each_rank_has_a_line() -> None:
    text = render(samples.ranks(), [], Style())
    assert "4 processes" in text.splitlines()[0]
    assert "Above is rank 0." in text
    assert "  rank 3        43 ms  data wait 15.4 ms, forward 10.2 ms" in text
    assert "Rank 3 delays the others" in text
    assert text.count("note: the step was still getting faster") == 1
    assert "note: no evidence came from rank 1, 2\n" in render([samples.ranks()[0], samples.ranks()[3]], [], Style())


def test_what_has_no_line_of_its_own_is_named_by_its_file() -> None:
    growing = replace(samples.LOADING, at=Line("train.py", 0), sentence="Memory grows.", new=True)
    assert "confirmed    train.py  TRN101 loader-without-workers\n  Memory grows.\n" in render(
        [samples.run()], [growing], Style()
    )


def test_without_findings_or_steps_the_report_says_so() -> None:
    assert "There is no finding to judge." in render([samples.run()], [], Style())
    assert "No finding costs this run 1% or more" in render([samples.run()], [samples.SAVING], Style())
    unseen = Run(("train.py",), Environment({}), "no step")
    assert render([unseen], [], Style()) == "No step was measured: no optimizer step was seen.\n"


SILENT = Unjudged(
    failures=(Failure("src/data.py", "line 3: syntax error in Python", "TRN001"),),
    left_out={"vendor/a.py": "the configuration excludes it", "vendor/b.py": "the configuration excludes it"},
    ignored=Ignored(by_comments=1, by_configuration=2),
)


def test_what_could_not_be_judged_is_told_as_check_tells_it() -> None:
    text = render([samples.run()], [samples.SAVING], Style(), unjudged=SILENT)
    assert "\nerror: could not judge src/data.py: line 3: syntax error in Python\n" in text
    assert "as far as the probe could measure; not everything could be judged." in " ".join(text.split())
    assert "note: not judged: vendor/a.py, vendor/b.py (the configuration excludes it)\n" in text
    assert "note: ignored: 1 finding by comments and 2 findings by the configuration\n" in text
    assert "not everything could be judged" not in render([samples.run()], [samples.SAVING], Style())
    nothing = render([samples.run()], [], Style(), unjudged=replace(SILENT, failures=()))
    assert "There is no finding to judge but what is ignored; not every file was judged.\n" in nothing


def test_of_many_files_that_were_left_out_some_are_named() -> None:
    many = Unjudged(left_out={f"parts/{number}.py": "the configuration excludes it" for number in range(9)})
    text = " ".join(render([samples.run()], [], Style(), unjudged=many).split())
    assert "parts/3.py, parts/4.py and 4 more (the configuration excludes it)" in text


def test_a_trace_tells_it_as_well(tmp_path: Path) -> None:
    text = render_trace(read_trace(samples.trace(tmp_path / "trace.json")), [], Style(100), unjudged=SILENT)
    assert "error: could not judge src/data.py: " in text
    assert "note: not judged: vendor/a.py, vendor/b.py" in text
    assert "note: ignored: 1 finding by comments" in text


def test_a_sentence_starts_with_a_capital_but_for_a_name_of_code() -> None:
    of_code = replace(samples.READING, sentence="torch.compile breaks the graph here once")
    text = render([samples.run()], [of_code, samples.LOADING], Style())
    assert "  torch.compile breaks the graph here once.\n" in text
    assert "  The step waits 26.10 to 36.20 ms" in text


def test_a_gain_without_a_bound_is_said_in_words() -> None:
    endless = replace(samples.EVALUATION, share=Interval(0.004, inf))
    assert "(0.4% or more of a step)" in render([samples.run()], [endless], Style())


@pytest.mark.parametrize("width", [40, 60, 100])
def test_no_line_is_wider_than_the_terminal(width: int, tmp_path: Path) -> None:
    style = Style(width)
    texts = [
        render([samples.run()], MANY, style, unjudged=SILENT, verbose=True),
        render(samples.ranks(), MANY, style),
        render_trace(read_trace(samples.trace(tmp_path / "t.json")), MANY, style, unjudged=SILENT),
    ]
    too_wide = [line for text in texts for line in text.splitlines() if len(line) > width]
    assert too_wide == []


def test_a_plain_terminal_gets_ascii(tmp_path: Path) -> None:
    style = Style(unicode=False)
    text = render(samples.ranks(), MANY, style) + render_trace(
        read_trace(samples.trace(tmp_path / "t.json")), [], style
    )
    assert text.isascii()
    assert "\\u" not in text
    assert f"  data wait           9.60 ms  28.7%  {'#' * 9}\n" in text


def test_what_a_file_is_called_cannot_steer_the_terminal() -> None:
    evil = replace(samples.LOADING, at=Line("\x1b[2Jtrain.py", 3), sentence="\x1b]0;title\x07 waits")
    assert "\x1b" not in render([samples.run()], [evil], Style(), verbose=True)


def test_a_trace_is_told_from_its_step_to_its_waits(tmp_path: Path) -> None:
    text = render_trace(read_trace(samples.trace(tmp_path / "trace.json")), [samples.READING], Style(300))
    assert text.startswith("20 ms a step (4 steps of ")
    assert "NVIDIA A100-SXM4-40GB" in text
    assert "The CPU waits for the GPU 2 times a step, 2.1 ms together" in text
    assert "       1.1 ms  train.py:78\n" in text
    assert "Communication takes 3 ms a step, 1 ms of it with nothing beside." in text
    assert "inconclusive train.py:78  TRN201 item-in-training-step" in text


def test_a_trace_without_a_device_says_what_it_cannot_tell(tmp_path: Path) -> None:
    text = render_trace(read_trace(samples.trace_of_host(tmp_path / "trace.json")), [], Style())
    assert "  backward " in text
    assert "note: The trace has no GPU events" in text
    assert "Kernels" not in text


def test_a_busy_machine_is_said_before_any_phase() -> None:
    busy = replace(samples.run(), cores=Cores(16, 3.0, others=12.0, waited=0.4))
    lines = render([busy], samples.VERDICTS, Style()).splitlines()
    said, split = " ".join(lines), next(number for number, line in enumerate(lines) if "data wait" in line)
    assert "the training waited for a CPU core for 40% of the measured time" in said
    assert "The machine was busy" in " ".join(lines[:split])
    quiet = replace(busy, cores=Cores(16, 3.0, others=1.0, waited=0.02))
    assert "The machine was busy" not in render([quiet], samples.VERDICTS, Style())


def test_what_needs_a_gpu_takes_one_line_in_all() -> None:
    many = [replace(samples.COPYING, at=Line("train.py", line)) for line in range(1, 9)]
    text = " ".join(render([samples.run()], many, Style(200)).split())
    assert (
        "cannot be measured: train.py:1 TRN205, train.py:2 TRN205, train.py:3 TRN205, train.py:4 TRN205, train.py:5 "
        "TRN205 and 3 more. Only a CUDA device tells what waits for it; `--device simulated` counts it without one."
    ) in text
    assert text.count("blocking-batch-copy") == 0
    assert render([samples.run()], many, Style(200), verbose=True).count("blocking-batch-copy") == 8


def test_a_line_that_ran_and_that_nothing_measures_is_no_line_that_did_not_run() -> None:
    ran = replace(samples.SAVING, state=State.UNMEASURED, sentence="the probe has no way to measure this")
    text = render([samples.run()], [ran], Style(200))
    assert "cannot be measured train.py:95  TRN310 checkpoint-in-training-step\n" in text
    assert "not observed" not in text
