"""A finding, a run, and what the one says of the other."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Environment, Loader, Phase, Run, Seen, Step
from trainlint.evidence.simulation import Simulated
from trainlint.evidence.verdicts import State, Verdict
from trainlint.finding import Finding, Severity, Span
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.counted import NO_LOADER_TIMES, NOT_SIMULATED, counted_verdict
from trainlint_probe.judgement.verdicts import NEEDS_A_GPU, verdict

AT_LINE = Seen(Line("train.py", 14), Symptom.CHECKPOINT, "torch.save", 20, 900.0)


def finding(code: str = "TRN201", *, first: int = 14, last: int = 14, path: str = "train.py") -> Finding:
    return Finding(code, "a-pattern", path, Span(first, 5, last, 20), "It costs.", Severity.WARNING)


def run(*seen: Seen, loaders: tuple[Loader, ...] = (), steps: int = 20, ms: float = 50.0, wait: float = 0.0) -> Run:
    phases: Mapping[Phase, float] = {Phase.DATA_WAIT: wait, Phase.OTHER: ms - wait}
    return Run(
        ("train.py",),
        Environment({}),
        "window closed",
        steps=tuple(Step(ms, phases) for _ in range(steps)),
        seen=seen,
        loaders=loaders,
        clock="AdamW.step at train.py:20",
        device="cuda",
    )


def item(line: int = 14, *, calls: int = 20, device: str = "cuda", recoverable: Interval | None = None) -> Seen:
    return Seen(
        Line("train.py", line), Symptom.HOST_SYNC, "Tensor.item", calls, 30.0, device=device, recoverable=recoverable
    )


def of_item(*seen: Seen, at: Finding | None = None) -> Verdict:
    return verdict(at or finding(), {Symptom.HOST_SYNC}, run(*seen))


def test_a_read_that_holds_up_the_step_is_confirmed() -> None:
    found = of_item(item(recoverable=Interval(4.0, 6.0)))
    assert found.state is State.CONFIRMED
    assert found.cost == Interval(4.0, 6.0)
    assert found.share == Interval(0.08, 0.12)
    gain = "without it 4 to 6 ms a step could be gained: 8.0% to 12.0% of a step of 50 ms"
    assert found.sentence == f"Tensor.item ran once a step; {gain}"


def test_a_read_that_the_device_never_notices_is_refuted_though_the_host_waits_long() -> None:
    assert of_item(item(recoverable=Interval(0.0, 0.3))).state is State.REFUTED


def test_bounds_on_both_sides_of_the_threshold_settle_nothing() -> None:
    assert of_item(item(recoverable=Interval(0.1, 4.0))).state is State.INCONCLUSIVE


def test_without_a_trace_the_host_s_time_is_only_the_most_that_a_read_can_cost() -> None:
    found = of_item(item())
    assert (found.state, found.cost, found.basis) == (State.INCONCLUSIVE, Interval(0.0, 1.725), "timer")


def test_a_wait_that_was_seen_after_the_window_counts_by_the_steps_that_it_was_seen_in() -> None:
    hidden = replace(item(calls=6, recoverable=Interval(4.0, 6.0)), what="stream synchronization", steps=3)
    found = of_item(replace(hidden, host_ms=None))
    assert (found.state, found.per_step, found.basis) == (State.CONFIRMED, 2, "trace")
    assert found.sentence.startswith("stream synchronization ran 2 times a step; without it")


@pytest.mark.parametrize(
    ("device", "ran", "state"), [("cpu", True, State.UNMEASURED), ("mps", False, State.NOT_OBSERVED)]
)
def test_without_cuda_nothing_is_claimed_of_waits(device: str, ran: bool, state: State) -> None:
    found = verdict(finding(), {Symptom.HOST_SYNC}, replace(run(*([AT_LINE] if ran else [])), device=device))
    assert (found.state, found.cost, found.sentence) == (state, None, NEEDS_A_GPU)


def test_two_reads_on_one_line_are_at_least_as_bad_as_the_worse_and_at_most_as_bad_as_both() -> None:
    found = of_item(item(recoverable=Interval(1.0, 2.0)), item(recoverable=Interval(3.0, 4.0)))
    assert found.cost == Interval(3.0, 6.0)


@pytest.mark.parametrize("line", [13, 17])
def test_what_happens_on_another_line_says_nothing(line: int) -> None:
    found = of_item(item(line), at=finding(first=14, last=16))
    assert (found.state, found.cost) == (State.NOT_OBSERVED, None)
    assert found.sentence == "no host sync was seen at this line in 20 steps"


@pytest.mark.parametrize("line", [14, 15, 16])
def test_a_call_over_several_lines_is_met_at_any_of_them(line: int) -> None:
    assert of_item(item(line), at=finding(first=14, last=16)).state is State.INCONCLUSIVE


def test_another_symptom_at_the_line_is_no_evidence() -> None:
    saved = Seen(Line("train.py", 14), Symptom.CHECKPOINT, "torch.save", 20, 900.0)
    assert of_item(saved).state is State.UNMEASURED  # the line ran


def test_no_step_no_verdict() -> None:
    found = verdict(finding(), {Symptom.HOST_SYNC}, run(item(), steps=0))
    assert (found.state, found.sentence) == (State.NOT_OBSERVED, "no step was seen")


class TestLoaders:
    loader = Loader(Line("train.py", 8), Line("train.py", 12), {"num_workers": "0"}, batches=20, wait_ms=626.6)
    tried = replace(loader, cpu_ms=10.0, handover_ms=0.5)

    def test_a_loader_that_workers_would_surely_hide_is_confirmed_where_it_is_made(self) -> None:
        found = verdict(
            finding("TRN101", first=8, last=9),
            {Symptom.DATA_WAIT},
            run(loaders=(self.tried,), ms=45.9, wait=31.33),
        )
        assert found.state is State.CONFIRMED
        assert found.cost is not None
        assert found.cost.high < 31.33
        assert found.sentence.startswith(
            "the step waits 31.3 of 45.9 ms for this loader; workers can hide at most that and cost 500 µs to feed it"
        )

    def test_a_wait_alone_confirms_nothing(self) -> None:
        waits = run(loaders=(self.loader,), ms=45.9, wait=31.33)
        found = verdict(finding("TRN101", first=8, last=9), {Symptom.DATA_WAIT}, waits)
        assert found.state is State.INCONCLUSIVE
        assert found.cost is not None
        assert (found.cost.low, found.cost.high) == pytest.approx((0.0, 31.33))
        assert "what it costs to feed the step from them was not measured" in found.sentence

    def test_a_loader_that_is_always_ahead_is_refuted(self) -> None:
        found = verdict(finding(first=8, last=8), {Symptom.DATA_WAIT}, run(loaders=(self.loader,), wait=0.2))
        assert found.state is State.REFUTED

    def test_each_of_two_loaders_has_its_part_of_the_wait(self) -> None:
        other = Loader(Line("train.py", 9), None, {"num_workers": "2"}, batches=20, wait_ms=626.6 * 3)
        found = verdict(finding(first=8, last=8), {Symptom.DATA_WAIT}, run(loaders=(self.loader, other), wait=40.0))
        assert found.cost == Interval(0.0, 10.0)


def test_calls_that_differ_cost_as_much_less_or_more_as_the_fastest_lies_off() -> None:
    """The mean is 5 ms, and one took 4: in another run the mean may be 4 as well as 6."""
    collected = Seen(Line("train.py", 14), Symptom.GARBAGE_COLLECTION, "gc.collect", 20, 100.0, fastest_ms=4.0)
    found = verdict(finding(first=14, last=14), {Symptom.GARBAGE_COLLECTION}, replace(run(collected), device="cpu"))
    assert found.cost == Interval(4.0, 6.0)
    assert found.state is State.CONFIRMED


def test_no_more_is_gained_than_a_step_takes() -> None:
    """The mean is 45 ms of 50, and one took 1: twice the mean would be more than there is."""
    collected = Seen(Line("train.py", 14), Symptom.GARBAGE_COLLECTION, "gc.collect", 20, 900.0, fastest_ms=1.0)
    found = verdict(finding("TRN302"), {Symptom.GARBAGE_COLLECTION}, replace(run(collected), device="cpu"))
    assert (found.cost, found.share) == (Interval(1.0, 50.0), Interval(0.02, 1.0))


def test_a_pause_that_is_timed_costs_what_it_takes() -> None:
    emptied = Seen(Line("train.py", 14), Symptom.CACHE_EMPTIED, "torch.cuda.empty_cache", 20, 100.0, device="cuda")
    found = verdict(finding("TRN301"), {Symptom.CACHE_EMPTIED}, run(emptied))
    assert (found.state, found.cost) == (State.CONFIRMED, Interval(4.25, 5.75))


def test_of_an_evaluation_with_gradients_only_a_part_can_be_saved() -> None:
    forward = Seen(Line("train.py", 14), Symptom.EVALUATION_WITH_GRADIENTS, "Module.forward", 20, 5.0)
    found = verdict(finding("TRN303"), {Symptom.EVALUATION_WITH_GRADIENTS}, run(forward))
    assert (found.state, found.cost) == (State.REFUTED, Interval(0.0, 0.2875))


def test_a_warning_of_pytorch_proves_an_outdated_name() -> None:
    warned = Seen(Line("train.py", 14), Symptom.WARNING, "FutureWarning", 1, details={"message": "use torch.amp"})
    found = verdict(finding("TRN801"), {Symptom.WARNING}, run(warned))
    assert (found.state, found.cost) == (State.CONFIRMED, None)
    assert found.sentence == "a warning (FutureWarning) comes from this line: use torch.amp"


def test_what_a_library_does_inside_of_a_counted_call_is_not_counted_twice() -> None:
    outer = Seen(Line("train.py", 14), Symptom.COLLECTIVE, "all_gather_object", 20, 100.0, device="cpu")
    inner = Seen(Line("train.py", 14), Symptom.COLLECTIVE, "all_gather", 20, 90.0, direct=False, device="cpu")
    found = verdict(finding("TRN502"), {Symptom.COLLECTIVE}, run(outer, inner))
    assert found.cost == Interval(4.25, 5.75)


def test_a_collective_of_a_device_returns_before_it_is_done() -> None:
    started = Seen(Line("train.py", 14), Symptom.COLLECTIVE, "all_reduce", 20, 0.4, device="cuda")
    found = verdict(finding("TRN504"), {Symptom.COLLECTIVE}, run(started))
    assert (found.state, found.cost) == (State.UNMEASURED, None)


def test_a_warning_of_something_else_proves_nothing() -> None:
    warned = Seen(Line("train.py", 14), Symptom.WARNING, "UserWarning", 1, details={"message": "sizes differ"})
    found = verdict(finding("TRN416"), {Symptom.WARNING}, run(warned), warned_as="copy construct from a tensor")
    assert found.state is State.NOT_OBSERVED


def test_of_a_collective_that_could_only_be_hidden_nothing_is_surely_gained() -> None:
    blocked = Seen(Line("train.py", 14), Symptom.COLLECTIVE, "all_reduce", 20, 100.0, device="cpu")
    whole = verdict(finding("TRN504"), {Symptom.COLLECTIVE}, run(blocked))
    part = verdict(finding("TRN501"), {Symptom.COLLECTIVE}, run(blocked), in_part=True)
    assert (whole.state, whole.cost) == (State.CONFIRMED, Interval(4.25, 5.75))
    assert (part.state, part.cost) == (State.INCONCLUSIVE, Interval(0.0, 5.75))


def test_what_is_queued_for_a_device_that_the_call_does_not_name_is_not_priced_by_the_host() -> None:
    copied = Seen(Line("train.py", 14), Symptom.DEEP_COPY, "copy.deepcopy", 20, 100.0)
    on_cpu = replace(run(copied), device="cpu")
    assert verdict(finding("TRN313"), {Symptom.DEEP_COPY}, on_cpu).state is State.CONFIRMED
    on_gpu = replace(run(copied), device="cuda")
    assert verdict(finding("TRN313"), {Symptom.DEEP_COPY}, on_gpu).state is State.UNMEASURED


def test_a_collection_may_be_hidden_behind_the_device() -> None:
    collected = Seen(Line("train.py", 14), Symptom.GARBAGE_COLLECTION, "gc.collect", 20, 100.0)
    found = verdict(finding("TRN302"), {Symptom.GARBAGE_COLLECTION}, replace(run(collected), device="cuda"))
    assert (found.state, found.cost) == (State.INCONCLUSIVE, Interval(0.0, 5.75))


def test_a_line_that_runs_without_what_the_rule_speaks_of_is_refuted() -> None:
    backward = Seen(Line("train.py", 14), Symptom.BACKWARD, "backward", 20, 100.0)
    found = verdict(finding("TRN405"), {Symptom.BACKWARD_IN_AUTOCAST}, run(backward))
    assert found.state is State.REFUTED
    assert found.sentence == "backward ran here, and no backward under autocast was seen at this line in 20 steps"


@pytest.mark.parametrize(("dropped", "state"), [(20, State.CONFIRMED), (10, State.CONFIRMED), (2, State.REFUTED)])
def test_a_scaler_that_leaves_out_a_step_now_and_then_drops_no_gradients(dropped: int, state: State) -> None:
    cleared = Seen(Line("train.py", 14), Symptom.GRADIENTS_CLEARED, "Optimizer.zero_grad", 20)
    unused = Seen(Line("train.py", 14), Symptom.GRADIENTS_DROPPED, "Optimizer.zero_grad", dropped)
    assert verdict(finding("TRN606"), {Symptom.GRADIENTS_DROPPED}, run(cleared, unused)).state is state


@pytest.mark.parametrize(
    ("symptom", "sentence"), [(Symptom.DATA_WAIT, NO_LOADER_TIMES), (Symptom.CHECKPOINT, NOT_SIMULATED)]
)
def test_a_simulated_gpu_says_which_run_shows_what_it_cannot(symptom: Symptom, sentence: str) -> None:
    simulated = replace(run(), simulated=Simulated("H100", 1, (), None, (), 10.0, (0,), {}))
    found = counted_verdict(finding("TRN101"), {symptom}, simulated)
    assert (found.state, found.sentence) == (State.UNMEASURED, sentence)
    assert "a run on a GPU can" in sentence
