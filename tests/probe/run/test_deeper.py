"""The steps after the window: what is added there, and that the window outlives whatever happens in them."""

from __future__ import annotations

import ctypes
import gc
from typing import Any

import pytest
import torch

from tests.probe.run.running import SCRIPTS, Runner, line_of, only
from trainlint.evidence.run import Memory, Run
from trainlint.symptoms import Symptom
from trainlint_probe.child_settings import ChildSettings
from trainlint_probe.judgement.judged_run import judge_run
from trainlint_probe.launch import Launched
from trainlint_probe.watch.afterwards import deeper
from trainlint_probe.watch.memory import NotCounted, Reader, heap
from trainlint_probe.watch.watching import Watch

WINDOW = 3 + 8 + 1
"""Steps until the window has closed: it opens after a step more than the warm-up, and the first mark begins a step."""


@pytest.mark.parametrize("asked", [True, False])
def test_without_an_accelerator_nothing_is_profiled_unless_asked_for(
    monkeypatch: pytest.MonkeyPatch, asked: bool
) -> None:
    monkeypatch.setattr(deeper, "accelerator", str)
    orders = ChildSettings(output="", deep_steps=3, deep_without_device=asked)
    assert deeper.Deeper(orders, Watch("", ""), lambda changes: None).profiles is asked


class TestEndsTooEarly:
    def run(self, runner: Runner, steps: int, end: str) -> tuple[Launched, Run]:
        launched = runner.run("hostile/fails_late", str(steps), end, warmup_limit=3, deep_steps=3)
        run = only(launched)
        assert (run.outcome, len(run.steps)) == ("window closed", 8)
        return launched, run

    @pytest.mark.nightly
    def test_out_of_memory_in_the_first_step_under_the_profiler(
        self, runner: Runner, capfd: pytest.CaptureFixture[str]
    ) -> None:
        launched, run = self.run(runner, WINDOW, "memory")
        assert (launched.exit_code, run.exit_code, launched.traces) == (1, 1, ())
        assert "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB." in capfd.readouterr().err
        assert run.notes[-1] == (
            "The script failed (torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
            f"({SCRIPTS / 'hostile/fails_late.py'}:{line_of('hostile/fails_late', 'raise ')})) after the window, in "
            "step 1 of 3 under the profiler. What was measured in the window stands."
        )

    def test_a_script_that_has_no_more_steps(self, runner: Runner) -> None:
        launched, run = self.run(runner, WINDOW + 1, "end")
        assert (launched.exit_code, run.exit_code) == (0, 0)
        assert run.notes[-1].startswith("The script ended after the window, in step 2 of 3 under the profiler")


def counts_its_heap() -> bool:
    """Whether this system's C library counts its heap at all; what the probe finds out by trial is not asked."""
    try:
        return bool(ctypes.CDLL(None).mallinfo2)
    except (OSError, AttributeError, TypeError):
        return False


COUNTED_HEAP = pytest.mark.skipif(not counts_its_heap(), reason="this C library does not count its heap")


@COUNTED_HEAP
class TestMemoryWithoutADevice:
    """Each of these lets the heap of the process grow, and two of them keep graphs."""

    def run(self, runner: Runner, what: str) -> Run:
        run = only(runner.run("keeps", what, warmup=10, warmup_limit=15, steps=40))
        assert run.outcome == "window closed"
        return run

    def found(self, run: Run) -> list[str]:
        return [item.sentence for item in judge_run(run) if item.name == "memory-grows"]

    @pytest.mark.parametrize("what", ["losses", "sum"])
    def test_kept_graphs_are_found(self, runner: Runner, what: str) -> None:
        run = self.run(runner, what)
        (found,) = [item for item in judge_run(run) if item.name == "memory-grows"]
        keeps = {"losses": "losses.append(loss)", "sum": "total = total + loss"}[what]
        assert found.source is not None
        assert found.source.line == line_of("keeps", keeps)
        holder = {"losses": "losses", "sum": "total"}[what]
        assert found.sentence.endswith(f"this line keeps what a step makes, with its graph, in {holder}.")

    def test_a_list_inside_an_object_is_found_with_the_line_that_appends(self, runner: Runner) -> None:
        run = only(runner.run("keeps_inside", warmup=10, warmup_limit=15, steps=40))
        (kept,) = [item for item in run.seen if item.symptom is Symptom.GRAPH_KEPT]
        assert (kept.at.line, kept.what) == (line_of("keeps_inside", "# kept"), "history.entries")

    @pytest.mark.parametrize(
        "what",
        ["nothing", "numbers", "outputs", "circles", "samples", "shapes"],
    )
    def test_what_grows_otherwise_is_left_alone(self, runner: Runner, what: str) -> None:
        run = self.run(runner, what)
        # On a busy machine other threads may free memory in each trial of the counter, and the run says so.
        counted = sum(step.memory is not None for step in run.steps) >= 10
        assert counted or any("Memory could not be measured" in note for note in run.notes)
        assert self.found(run) == []

    @pytest.mark.nightly
    def test_what_only_refers_to_itself_is_collected(self, runner: Runner) -> None:
        run = self.run(runner, "circles")
        assert len({item.graph_nodes for item in run.alive}) <= 1


@COUNTED_HEAP
class TestTheTrialOfTheHeap:
    """Before the first step is read, the probe makes tensors and looks whether the C library counts them."""

    def test_garbage_that_python_could_free_meanwhile_does_not_spoil_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        make = torch.empty
        freed: list[bool] = []

        def make_among_many_objects(*words: Any, **named: Any) -> torch.Tensor:
            assert len([[] for _ in range(20_000)]) == 20_000  # more than Python makes between two collections
            return make(*words, **named)

        class Circle:
            def __init__(self) -> None:
                self.itself = self
                self.tensor = make(1 << 24, dtype=torch.uint8)  # sixteen times what the trial makes

            def __del__(self) -> None:
                freed.append(True)

        monkeypatch.setattr(torch, "empty", make_among_many_objects)
        gc.collect()
        Circle()
        assert heap()() > 0
        assert not freed
        make_among_many_objects(1)
        assert freed, "a collection would have begun during the trial"

    def test_the_collector_is_left_as_it_was(self) -> None:
        for was_on in (True, False):
            (gc.enable if was_on else gc.disable)()
            try:
                heap()
                assert gc.isenabled() is was_on
            finally:
                gc.enable()

    def test_what_another_thread_frees_in_one_trial_does_not_spoil_the_next(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make, freed = torch.empty, [make_of_16_mib()]

        def make_while_another_frees(*words: Any, **named: Any) -> torch.Tensor:
            freed.clear()
            return make(*words, **named)

        monkeypatch.setattr(torch, "empty", make_while_another_frees)
        assert heap()() > 0

    def test_tensors_that_lie_elsewhere_are_noticed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(torch, "empty", lambda *_, **__: None)
        with pytest.raises(NotCounted, match=r"of 1024 KiB of tensors, the C library counted -?\d+ KiB in its heap"):
            heap()

    def test_a_run_whose_memory_is_unknown_says_so(self, runner: Runner) -> None:
        run = only(runner.run("hostile/other_allocator"))
        assert run.outcome == "window closed"
        assert not any(step.memory for step in run.steps)
        (note,) = (note for note in run.notes if "Memory" in note)
        assert note.startswith("Memory could not be measured: of 1024 KiB of tensors, the C library counted 0 KiB")


def make_of_16_mib() -> torch.Tensor:
    return torch.empty(1 << 24, dtype=torch.uint8)


def test_the_heap_is_not_asked_again_before_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A heap in many pieces takes long to count: no more than a half percent of the time goes into it."""
    now = 0
    asked = []

    def slow() -> int:
        nonlocal now
        asked.append(now)
        now += 1_000_000
        return 7

    monkeypatch.setattr("trainlint_probe.watch.memory.heap", lambda: slow)
    monkeypatch.setattr("trainlint_probe.watch.memory.perf_counter_ns", lambda: now)
    reader, known = Reader(), 0
    for _ in range(100):
        known += reader.read() == Memory(allocated=7)
        now += 20_000_000
    assert known == len(asked) == 10  # each 200 ms, and it takes 1 ms
