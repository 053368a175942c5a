"""What a run shows to be wrong without any trace."""

from collections.abc import Sequence

import pytest

from trainlint.evidence.places import Line
from trainlint.evidence.run import Alive, Environment, Loader, Memory, Phase, Run, Seen, Step
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.judged_run import judge_run
from trainlint_probe.traces.judge import RuntimeFinding

KIB, MIB, GIB = 2**10, 2**20, 2**30


def run(
    marks: Sequence[Memory | None] = (),
    *seen: Seen,
    loaders: tuple[Loader, ...] = (),
    wait: float = 0.0,
    steps: int = 20,
    device: str = "cuda",
    alive: tuple[Alive, ...] = (),
) -> Run:
    phases = {Phase.DATA_WAIT: wait, Phase.OTHER: 50.0 - wait}
    memory: Sequence[Memory | None] = marks or [None] * steps
    return Run(
        ("train.py",),
        Environment({}),
        "window closed",
        steps=tuple(Step(50.0, phases, memory=mark) for mark in memory),
        seen=seen,
        loaders=loaders,
        device=device,
        alive=alive,
    )


def only(found: Sequence[RuntimeFinding]) -> RuntimeFinding:
    (finding,) = found
    return finding


def test_a_run_with_nothing_wrong_is_left_alone() -> None:
    assert judge_run(run([Memory(100 * MIB, reserved=GIB, inactive_split=MIB, retries=0)] * 20, wait=1.0)) == []


def test_no_steps_nothing_is_said() -> None:
    assert judge_run(run(steps=0)) == []


class TestStarvation:
    def test_the_loader_that_is_waited_for_most_is_named(self) -> None:
        slow = Loader(Line("train.py", 8), None, {"num_workers": "0"}, batches=20, wait_ms=780.0)
        quick = Loader(Line("train.py", 9), None, {"num_workers": "4"}, batches=20, wait_ms=20.0)
        found = only(judge_run(run(loaders=(quick, slow), wait=40.0)))
        assert found.name == "loader-starvation"
        assert found.source is not None
        assert found.source.line == 8
        assert found.sentence == (
            "The step waits 40 of 50 ms (80.0%) for its batch, most of it for the loader with num_workers=0."
        )

    def test_data_that_comes_from_no_loader_is_waited_for_as_well(self) -> None:
        assert only(judge_run(run(wait=40.0))).source is None


class TestMemory:
    @pytest.mark.parametrize(("growth", "told"), [(80 * KIB, "81.9 kB"), (3 * MIB, "3.15 MB")])
    def test_memory_that_grows_each_step_is_a_leak(self, growth: int, told: str) -> None:
        marks = [Memory(100 * MIB + step * growth) for step in range(20)]
        found = only(judge_run(run(marks)))
        assert found.name == "memory-grows"
        assert f"{told} more after each step" in found.sentence

    def test_what_python_had_only_not_collected_yet_is_no_leak(self) -> None:
        marks = [Memory(100 * MIB + step * MIB) for step in range(20)]
        collected = tuple(Alive(30, 0, Memory(100 * MIB)) for _ in range(4))
        assert judge_run(run(marks, alive=collected)) == []

    def test_graphs_that_are_kept_are_named(self) -> None:
        marks = [Memory(100 * MIB + step * MIB) for step in range(20)]
        kept = tuple(Alive(30 + step, 12 * step, Memory((120 + step) * MIB)) for step in range(4))
        assert "and autograd remembers 12 more operations" in only(judge_run(run(marks, alive=kept))).sentence

    @pytest.mark.parametrize("nodes", [(), (0, 0, 0, 0), (40, 40, 80, 80), (12, 0, 12, 0)])
    def test_without_a_device_only_graphs_prove_a_leak(self, nodes: tuple[int, ...]) -> None:
        marks = [Memory(100 * MIB + step * MIB) for step in range(20)]
        kept = tuple(Alive(30 + step, count) for step, count in enumerate(nodes))
        assert judge_run(run(marks, device="cpu", alive=kept)) == []

    def test_a_graph_that_grows_with_each_step_is_a_leak_without_a_device_too(self) -> None:
        marks = [Memory(100 * MIB + step * 7 * KIB) for step in range(20)]
        kept = tuple(Alive(30, 8 + 10 * step) for step in range(4))
        assert only(judge_run(run(marks, device="cpu", alive=kept))).sentence == (
            "The process holds 7.17 kB more after each step (105 MB at last), and autograd remembers 10 more "
            "operations: something keeps losses or outputs with their graphs."
        )

    def test_steps_of_which_nothing_is_known_still_count(self) -> None:
        """Where the heap takes long to count, it is asked at some steps only."""
        marks = [Memory(100 * MIB + step * 8 * KIB) if step % 2 else None for step in range(30)]
        assert "hold 8.19 kB more after each step" in only(judge_run(run(marks))).sentence

    def test_one_jump_is_no_leak(self) -> None:
        marks = [Memory(100 * MIB + (step > 10) * 50 * MIB) for step in range(20)]
        assert judge_run(run(marks)) == []

    def test_memory_that_swings_is_no_leak(self) -> None:
        marks = [Memory(100 * MIB + step % 5 * MIB) for step in range(20)]
        assert judge_run(run(marks)) == []

    def test_a_few_steps_prove_no_leak(self) -> None:
        marks = [Memory(100 * MIB + step * MIB) for step in range(5)]
        assert judge_run(run(marks)) == []

    def test_a_number_a_step_is_no_leak(self) -> None:
        marks = [Memory(100 * MIB + step * 512) for step in range(20)]
        assert judge_run(run(marks)) == []

    def test_what_the_warm_up_asked_for_counts_for_nothing(self) -> None:
        marks = [Memory(MIB, retries=3, device_allocations=40, device_frees=9)] * 20
        assert judge_run(run(marks)) == []

    def test_memory_given_back_and_asked_for_again_is_joined_with_the_line_that_empties_the_cache(self) -> None:
        marks = [Memory(MIB, device_allocations=40 + step, device_frees=step) for step in range(20)]
        emptied = Seen(Line("train.py", 31), Symptom.CACHE_EMPTIED, "torch.cuda.empty_cache", 20, 40.0)
        found = only(judge_run(run(marks, emptied)))
        assert (found.name, found.source and found.source.line) == ("allocator-churn", 31)
        assert "returned GPU memory to the driver 19 times and asked for it again 19 times" in found.sentence

    def test_memory_that_is_only_asked_for_is_no_churn(self) -> None:
        marks = [Memory(MIB, device_allocations=40 + step, device_frees=0) for step in range(20)]
        assert judge_run(run(marks)) == []

    def test_retries_say_that_memory_is_all_but_full(self) -> None:
        marks = [Memory(MIB, retries=step // 5) for step in range(20)]
        assert only(judge_run(run(marks))).name == "allocation-retries"

    def test_holes_are_told(self) -> None:
        marks = [Memory(MIB, reserved=10 * GIB, inactive_split=3 * GIB)] * 20
        found = only(judge_run(run(marks)))
        assert (found.name, found.sentence[:32]) == ("memory-fragmented", "30% of the reserved memory (3.00")


def test_graph_breaks_and_recompiles_are_told_at_their_lines() -> None:
    broken = Seen(Line("model.py", 4), Symptom.GRAPH_BREAK, "torch.compile", 2, details={"reason": "Tensor.item()"})
    again = Seen(Line("model.py", 1), Symptom.RECOMPILE, "torch.compile", 1, 900.0)
    found = judge_run(run((), broken, again))
    assert [(item.name, item.source and item.source.line) for item in found] == [
        ("graph-breaks", 4),
        ("recompiles-in-steps", 1),
    ]
    assert found[0].sentence == "torch.compile breaks the compiled graph here 2 times: Tensor.item()."
