"""Which findings one change cures, and in which words they are one."""

from __future__ import annotations

from dataclasses import replace

from tests.report.toys import COPY, ITEM
from trainlint.evidence.places import Line
from trainlint.evidence.verdicts import State, Verdict
from trainlint.finding import Confidence, Finding, Heat, Measured, Report, Severity, Span
from trainlint.report.groups import Reason, grouped, groups_of
from trainlint.report.measured import measured_note_of
from trainlint.report.one import as_one, lines_text, with_places


def read(line: int, code: str = "loss.item()", **changes: object) -> Finding:
    """A read of the loss in the loop."""
    finding = replace(
        ITEM,
        span=Span(line, 9, line, 20),
        message=f"`{code}` forces a GPU sync in every training step",
        help=f"keep `{code.removesuffix('.item()')}.detach()`",
        fix=None,
    )
    return replace(finding, **changes)  # type: ignore[arg-type]  # names of fields, which only run time knows


def lines(*findings: Finding) -> list[list[int]]:
    """The lines of each group."""
    return [[each.span.start_line for each in group.findings] for group in grouped(findings, {})]


def test_reads_of_one_dictionary_are_one_group() -> None:
    found = [read(line, code) for line, code in ((5, "a.mean().item()"), (6, "b.mean().item()"), (12, "c.item()"))]
    [group] = grouped(found, {})
    assert group.reasons == {Reason.SIDE_BY_SIDE}
    shown = as_one(group)
    assert shown.message == "3 reads in lines 5 to 12: each forces a GPU sync in every training step"
    assert shown.help == "read all at once when you log: `torch.stack([a.mean(), ...]).tolist()`"


def test_an_expression_that_is_cut_is_not_code_to_write() -> None:
    [group] = grouped([read(5, "a…b.item()"), read(6, "c.item()")], {})
    assert as_one(group).help == "read all at once when you log: `torch.stack(values).tolist()`"


def test_reads_of_different_values_far_apart_are_two() -> None:
    assert lines(read(5, "a.item()"), read(16, "b.item()")) == [[5], [16]]


def test_reads_for_different_chains_or_in_different_files_are_two() -> None:
    assert lines(read(5), read(6, chain=("line 2: for batch in others",))) == [[5], [6]]
    assert lines(read(5), read(6, path="z.py")) == [[5], [6]]


def test_reads_of_one_value_are_one_group_however_far_apart_and_whichever_rule_finds_them() -> None:
    bar = read(90, code="loss.item()", message="`loss.item()` in the progress bar forces a GPU sync")
    [group] = grouped([read(5), replace(bar, code="TRN203")], {})
    assert group.reasons == {Reason.ONE_VALUE}
    assert lines_text(group) == "lines 5 and 90"


def test_a_value_that_is_read_several_times_is_read_once_for_all() -> None:
    [group] = grouped([read(5), read(90, help="keep it")], {})
    assert as_one(group).help == "read it once for both uses; keep `loss.detach()`"


def test_copies_of_one_batch_are_one_group() -> None:
    image, label = (replace(COPY, span=Span(line, 9, line, 20), chain=("line 6: loop",)) for line in (7, 30))
    [group] = grouped([image, label], {})
    assert group.reasons == {Reason.ONE_LOOP}
    assert as_one(group).message == "2 copies in lines 7 and 30: The host waits for this copy."


def test_updates_of_one_optimizer_are_one_group_where_their_kernels_differ() -> None:
    update = read(5, code="p", heat=Heat.INNER, message="4 kernels for each", help="use `torch._foreach_mul_`")
    other = replace(update, span=Span(50, 9, 50, 20), message="several kernels", help="use `torch._foreach_add_`")
    assert lines(update, other) == [[5, 50]]


def test_two_rules_that_find_a_wait_in_one_expression_are_one_group() -> None:
    outer = read(5, "f(x.item())", span=Span(5, 1, 5, 30))
    inner = replace(read(5, "x.item()", span=Span(5, 3, 5, 12)), code="TRN203")
    [group] = grouped([outer, inner], {})
    assert Reason.ONE_STATEMENT in group.reasons


def old(line: int, name: str) -> Finding:
    finding = replace(ITEM, code="TRN801", span=Span(line, 1, line, 9), chain=(), heat=Heat.UNKNOWN, fix=None)
    return replace(finding, message=f"`{name}` is deprecated", help=f"use `{name}` of `torch.amp`")


def test_uses_of_old_names_of_one_module_are_one_group() -> None:
    [group] = grouped([old(5, "torch.cuda.amp.autocast"), old(500, "torch.cuda.amp.GradScaler")], {})
    assert group.reasons == {Reason.ONE_NAME}
    assert as_one(group).message == (
        "2 uses in lines 5 and 500: `torch.cuda.amp.autocast` is deprecated; so is `torch.cuda.amp.GradScaler`"
    )
    assert lines(old(5, "torch.qr"), old(500, "torch.range")) == [[5], [500]]


def test_what_a_run_confirmed_is_never_one_group_with_what_it_refuted() -> None:
    one, other = read(5), read(6)
    verdicts = {
        each: Verdict(each.code, each.name, Line(each.path, each.span.start_line), state, "")
        for each, state in ((one, State.CONFIRMED), (other, State.REFUTED))
    }
    assert len(grouped([one, other], verdicts)) == 2


def test_what_a_run_says_of_one_of_two_reads_is_told_of_its_line() -> None:
    one, other = read(5), read(6)
    verdict = Verdict(other.code, other.name, Line(other.path, 6), State.CONFIRMED, "it waits 2 ms")
    assert len(grouped([one, other], {other: verdict})) == 1
    report = Report((one, other), (), 1, measured=Measured("e.json", "20 steps", {other: verdict}))
    assert measured_note_of(report, [one, other]) == "line 6 confirmed: it waits 2 ms (20 steps)"
    assert measured_note_of(report, [other]) == "confirmed: it waits 2 ms (20 steps)"


def test_of_many_lines_that_lie_apart_the_first_are_named() -> None:
    [group] = grouped([read(line) for line in range(20, 400, 20)], {})
    assert lines_text(group) == "lines 20, 40, 60, 80, 100, 120 and 13 more"


def test_a_group_is_as_sure_as_its_surest_finding() -> None:
    [group] = grouped([read(5, confidence=Confidence.LIKELY), read(6)], {})
    assert as_one(group).confidence is Confidence.CERTAIN


def test_the_first_of_a_group_names_all_places_and_each_other_the_first() -> None:
    [group] = grouped([read(5), read(6), read(7)], {})
    named = [[place.line for place in with_places(each, group).related] for each in group.findings]
    assert named == [[6, 7], [5], [5]]


def test_groups_are_in_the_order_of_costs_or_of_paths() -> None:
    many = (read(50, path="z.py"), read(51, path="z.py"))
    report = Report((old(1, "torch.qr"), read(9), *many, read(2, path="b.py", severity=Severity.ERROR)), (), 1)
    assert [group.first.span.start_line for group in groups_of(report)] == [2, 50, 9, 1]
    assert [group.first.span.start_line for group in groups_of(report, by_path=True)] == [2, 1, 9, 50]
