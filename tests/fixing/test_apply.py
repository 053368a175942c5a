"""One pass: whole fixes, no overlap, first come first served."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.fixing.helpers import finding
from trainlint.finding import Edit, Safety, apply_edits
from trainlint.fixing import apply_fixes
from trainlint.fixing.apply import fix_problem
from trainlint.source import source_from_text

SOURCE = source_from_text("train.py", "a = b\nc = d\n")


def test_all_edits_of_a_fix_are_made() -> None:
    done = apply_fixes(SOURCE, [finding(SOURCE, 0, 5, Edit(0, 1, "x"), Edit(4, 5, "y"))], Safety.SAFE)
    assert done.text == "x = y\nc = d\n"
    assert len(done.applied) == 1


def test_of_two_overlapping_fixes_the_later_one_waits_whole() -> None:
    first = finding(SOURCE, 0, 5, Edit(0, 5, "b = a"))
    second = finding(SOURCE, 4, 11, Edit(4, 5, "B"), Edit(10, 11, "D"))
    done = apply_fixes(SOURCE, [second, first], Safety.SAFE)
    assert done.text == "b = a\nc = d\n"
    assert done.applied == (first,)


def test_fixes_come_in_the_order_of_their_positions_whatever_the_order_of_the_findings() -> None:
    one, two = finding(SOURCE, 0, 5, Edit(4, 5, "1")), finding(SOURCE, 6, 11, Edit(10, 11, "2"))
    assert apply_fixes(SOURCE, [two, one], Safety.SAFE) == apply_fixes(SOURCE, [one, two], Safety.SAFE)
    assert apply_fixes(SOURCE, [two, one], Safety.SAFE).applied == (one, two)


def test_the_same_import_of_two_fixes_is_put_in_once() -> None:
    new_import = Edit(0, 0, "import torch\n")
    one = finding(SOURCE, 0, 5, new_import, Edit(4, 5, "torch.b"))
    two = finding(SOURCE, 6, 11, new_import, Edit(10, 11, "torch.d"))
    done = apply_fixes(SOURCE, [one, two], Safety.SAFE)
    assert done.text == "import torch\na = torch.b\nc = torch.d\n"
    assert done.applied == (one, two)


def test_two_different_insertions_at_one_place_do_not_guess_their_order() -> None:
    one = finding(SOURCE, 0, 5, Edit(0, 0, "import torch\n"))
    two = finding(SOURCE, 6, 11, Edit(0, 0, "import numpy\n"))
    assert apply_fixes(SOURCE, [one, two], Safety.SAFE).text == "import torch\na = b\nc = d\n"


def test_an_insertion_where_another_fix_replaces_waits_but_neighbouring_lines_go_together() -> None:
    removed, next_removed = finding(SOURCE, 0, 5, Edit(0, 6, "")), finding(SOURCE, 6, 11, Edit(6, 12, ""))
    inserted = finding(SOURCE, 6, 11, Edit(6, 6, "x = y\n"))
    assert apply_fixes(SOURCE, [removed, inserted], Safety.SAFE).applied == (removed,)
    assert apply_fixes(SOURCE, [removed, next_removed], Safety.SAFE).text == ""


def test_insertions_of_one_fix_at_one_place_keep_their_order() -> None:
    fix = finding(SOURCE, 0, 5, Edit(0, 0, "z\n"), Edit(0, 0, "a\n"))
    assert apply_fixes(SOURCE, [fix], Safety.SAFE).text == "z\na\na = b\nc = d\n"


def test_fixes_beyond_the_limit_are_left_alone() -> None:
    findings = [
        finding(SOURCE, 0, 5, Edit(0, 1, "x"), safety=Safety.NUMERICS),
        finding(SOURCE, 6, 11, Edit(6, 7, "y"), safety=Safety.UNSAFE),
    ]
    assert apply_fixes(SOURCE, findings, Safety.SAFE).applied == ()
    assert apply_fixes(SOURCE, findings, Safety.NUMERICS).text == "x = b\nc = d\n"
    assert apply_fixes(SOURCE, findings, Safety.UNSAFE).text == "x = b\ny = d\n"


def test_a_broken_fix_is_named_for_what_it_is_and_never_applied() -> None:
    broken = {
        "it edits outside the file": finding(SOURCE, 0, 5, Edit(11, 99, "")),
        "its edits overlap": finding(SOURCE, 0, 5, Edit(0, 3, "x"), Edit(2, 4, "y")),
        "it changes nothing": finding(SOURCE, 0, 5, Edit(0, 1, "a")),
    }
    for reason, bad in broken.items():
        assert bad.fix is not None
        assert fix_problem(SOURCE, bad.fix) == reason
        assert apply_fixes(SOURCE, [bad], Safety.SAFE).text == SOURCE.text


texts = st.text(alphabet="ab\nä€ \r", max_size=30)


@st.composite
def disjoint_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A text with edits that neither overlap nor touch."""
    text = draw(texts)
    offsets = sorted(draw(st.sets(st.integers(0, len(text)), max_size=12)))
    pairs = zip(offsets[::2], offsets[1::2], strict=False)
    return text, [Edit(start, stop, draw(texts)) for start, stop in pairs]


@given(disjoint_edits(), st.randoms())
def test_any_edits_give_what_replacing_from_the_back_gives(case: tuple[str, list[Edit]], random: object) -> None:
    text, edits = case
    expected = text
    for edit in reversed(edits):
        expected = expected[: edit.start] + edit.text + expected[edit.stop :]
    shuffled = edits.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis hands over a random.Random
    assert apply_edits(text, shuffled) == expected
    source = source_from_text("x.py", text)
    changing = [edit for edit in shuffled if text[edit.start : edit.stop] != edit.text]
    findings = [finding(source, edit.start, edit.stop, edit) for edit in changing]
    assert apply_fixes(source, findings, Safety.SAFE).text == expected


edits_anywhere = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12), st.sampled_from(["", "x", "yy"])), max_size=8
)


@given(edits_anywhere)
def test_of_any_edits_those_applied_are_disjoint_and_each_one_left_out_is_in_the_way(
    wanted: list[tuple[int, int, str]],
) -> None:
    edits = [Edit(min(one, two), max(one, two), text) for one, two, text in wanted]
    findings = [finding(SOURCE, edit.start, edit.stop, edit) for edit in edits]
    done = apply_fixes(SOURCE, findings, Safety.SAFE)
    made = sorted({edit for found in done.applied if found.fix for edit in found.fix.edits})
    assert all(one.stop <= other.start for one, other in pairwise(made))
    for edit in edits:
        if edit not in made and SOURCE.text[edit.start : edit.stop] != edit.text:
            assert any(edit.start <= other.stop and other.start <= edit.stop for other in made)
