"""What a person sees at the terminal."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.report.toys import BROKEN, COPY, CRASHED, ITEM, REPORT, edit_of, settings, sources
from trainlint.finding import Confidence, Edit, Finding, Fix, Heat, RelatedPlace, Report, Safety, Severity, Span
from trainlint.report import Settings, Style, render
from trainlint.source import source_from_text

ESCAPE = re.compile(r"\x1b(?:\[[0-9;]*m|\]8;[^\x1b]*\x1b\\)")


def shown(report: Report, style: Settings) -> str:
    return render(report, "full", sources=sources, rules=(), settings=style)


def frame_of(text: str, words: str, style: Settings) -> list[str]:
    """The lines with a bar of the report on one finding at these words."""
    source = source_from_text("x.py", text)
    start = text.index(words)
    finding = replace(ITEM, path="x.py", span=source.span(start, start + len(words)), fix=None, chain=())
    page = render(Report((finding,), (), 1), "full", sources={"x.py": source}.get, rules=(), settings=style)
    bar = "│" if style.style.unicode else "|"
    return [line for line in page.splitlines() if bar in line]


def test_a_report_at_80_columns() -> None:
    expected = """\
advice[TRN205]: The host waits for this copy. (likely)
  --> src/train.py:7:22  blocking-batch-copy

  6 │       for batch in train_loader:
  7 │ -         loss = model(batch.to(device))
  7 │ +         loss = model(batch.to(device, non_blocking=True))
  8 │           loss.backward()

  note: runs each training step
  fix:  copy without waiting (safe; apply with --fix)
  docs: trainlint explain TRN205

warning[TRN201]: `.item()` makes the host wait for the device in each training
step.
  --> src/train.py:9:18  item-in-training-step

   4 │   def train(model, train_loader, optimizer, device):
   5 │ -     total = 0.0
   5 │ +     total = torch.zeros((), device=device)
   6 │       for batch in train_loader:
   … │
   8 │           loss.backward()
   9 │ -         total += loss.item()
   9 │ +         total += loss.detach()
  10 │           optimizer.step()
  11 │ -     return total
  11 │ +     return total.item()

  note: runs each training step: line 6: loop over train_loader → Trainer.step
  fix:  keep a detached sum and read it once (unsafe: needs your judgement;
        apply with --fix --unsafe-fixes)
  docs: trainlint explain TRN201

error: could not judge src/broken.py: line 3 is no valid Python; mend it or
  exclude it
error: could not judge src/train.py: the rule TRN205 failed with IndexError;
  please report it

Found 2 problems in 12 files, 4 with training code (1 fixable with --fix, 1 more
with --fix --unsafe-fixes; 1 problem ignored by comments); not everything could
be judged: 2 failures.
"""
    assert shown(Report((COPY, ITEM), (BROKEN, CRASHED), files=12, training=4, suppressed=1), settings()) == expected


def test_a_report_at_40_columns_in_ascii() -> None:
    expected = """\
warning[TRN201]: `.item()` makes the
host wait for the device in each
training step.
  --> src/train.py:9:18

   4 |   def train(model, train_loade...
   5 | -     total = 0.0
   5 | +     total = torch.zeros((), dev
     | + ice=device)
   6 |       for batch in train_loader:
   : |
   8 |           loss.backward()
   9 | -         total += loss.item()
   9 | +         total += loss.detach()
  10 |           optimizer.step()
  11 | -     return total
  11 | +     return total.item()

  note: runs each training step: line 6:
        loop over train_loader ->
        Trainer.step
  fix:  keep a detached sum and read it
        once (unsafe: needs your
        judgement; apply with --fix
        --unsafe-fixes)
  docs: trainlint explain TRN201

Found 1 problem in 1 file with training
code (1 fixable with --fix
--unsafe-fixes).
"""
    assert shown(Report((ITEM,), (), files=1, training=1), settings(40, unicode=False)) == expected


def test_a_wide_terminal_shows_the_address_of_the_page() -> None:
    page = shown(REPORT, settings(200))
    assert "docs: https://github.com/trainlint/trainlint/blob/main/docs/rules/blocking-batch-copy.md\n" in page


def test_the_page_of_a_rule_is_named_once() -> None:
    assert shown(Report((ITEM, ITEM), (), 1), settings()).count("docs:") == 1


def at_lines(*lines: int) -> list[Finding]:
    """The same finding at each of these lines, without a fix."""
    return [replace(ITEM, span=replace(ITEM.span, start_line=line, end_line=line), fix=None) for line in lines]


def test_many_findings_that_say_the_same_of_one_loop_are_shown_as_one() -> None:
    text = shown(Report(tuple(at_lines(3, 5, 7, 9)), (), files=1), settings())
    assert text.count("warning[TRN201]") == 1
    assert "also: at lines 5, 7, 9\n" in text
    assert "Found 4 problems" in text


def test_findings_on_neighbouring_lines_that_say_the_same_are_shown_as_one() -> None:
    text = shown(Report(tuple(at_lines(5, 6, 9)), (), files=1), settings())
    assert text.count("warning[TRN201]") == 2
    assert "also: at line 6\n" in text


def test_three_findings_apart_or_findings_of_different_loops_are_each_shown() -> None:
    *three, last = at_lines(3, 5, 7, 9)
    elsewhere = replace(last, chain=("line 40: for batch in other_loader",))
    text = shown(Report((*three, elsewhere), (), files=1), settings())
    assert text.count("warning[TRN201]") == 4
    assert "also:" not in text


def test_the_fixes_of_neighbouring_findings_are_one_diff() -> None:
    text = "x = inputs.cuda()\ny = targets.cuda()\nz = 1\n"
    source = source_from_text("x.py", text)
    found = []
    for line, name in ((1, "inputs.cuda("), (2, "targets.cuda(")):
        stop = text.index(name) + len(name)
        fix = Fix("copy", (Edit(stop, stop, "non_blocking=True"),), Safety.SAFE)
        found.append(replace(COPY, path="x.py", span=Span(line, 5, line, 8), fix=fix))
    page = render(Report(tuple(found), (), 1), "full", sources={"x.py": source}.get, rules=(), settings=settings())
    assert [line[6:] for line in page.splitlines() if "│" in line] == [
        "- x = inputs.cuda()",
        "- y = targets.cuda()",
        "+ x = inputs.cuda(non_blocking=True)",
        "+ y = targets.cuda(non_blocking=True)",
        "  z = 1",
    ]


def test_a_fix_that_changes_other_lines_leaves_the_frame() -> None:
    fix = Fix("import it", (Edit(0, 0, "import os\n"),), Safety.SAFE)
    page = shown(Report((replace(ITEM, fix=fix),), (), 1), settings())
    assert "│                  ^^^^^^^^^^^" in page
    assert "│ + import os" in page


def test_a_rule_of_another_pack_has_no_address_of_ours() -> None:
    page = shown(Report((replace(ITEM, code="ACME001", name="slow-call"),), (), 1), settings(200))
    assert "docs: trainlint explain ACME001" in page
    assert "https://" not in page


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (Report((), (), 12, 12), "All clear: 12 files with training code."),
        (Report((), (), 12, 3), "All clear: 12 files, 3 with training code."),
        (Report((), (), 12), "All clear: 12 files, none with training code."),
        (Report((), (), 1, 1, suppressed=2), "All clear: 1 file with training code (2 problems ignored by comments)."),
        (Report((), (), 3, 3, fixed=2), "Fixed 2 problems. All clear: 3 files with training code."),
        (Report((), (), 0), "No file was judged."),
    ],
)
def test_a_clean_report_is_one_line(report: Report, line: str) -> None:
    assert shown(report, settings()) == f"{line}\n"


def test_all_is_not_clear_where_something_could_not_be_judged() -> None:
    assert shown(Report((), (BROKEN,), 11, 11), settings(100)) == (
        "error: could not judge src/broken.py: line 3 is no valid Python; mend it or exclude it\n\n"
        "Found no problem in 11 files with training code; not everything could be judged: 1 failure.\n"
    )


def test_where_no_file_was_judged_none_is_called_free_of_problems() -> None:
    assert shown(Report((), (BROKEN,), 0), settings(100)).endswith("\n\nNo file was judged: 1 failure.\n")


def test_without_a_summary_a_clean_report_is_empty() -> None:
    quiet = replace(settings(), summary=False)
    assert shown(Report((), (), 12), quiet) == ""
    assert "Found" not in shown(REPORT, quiet)


def test_places_are_links_where_the_terminal_has_them() -> None:
    related = RelatedPlace("src/my loop.py", 7, 9, "calls `step` in every training step")
    report = Report((replace(ITEM, chain=(), related=(related,)),), (), 1)
    text = shown(report, settings(width=100, color=True, links=True))
    linked = re.findall(r"\x1b\]8;[^;]*;(file:[^\x1b]*)\x1b\\(.*?)\x1b\]8;;", text)
    plain = [(uri, re.sub(r"\x1b\[[0-9;]*m", "", words)) for uri, words in linked]
    assert plain == [
        ("file:///projects/toy/src/train.py", "src/train.py:9:18"),
        ("file:///projects/toy/src/my%20loop.py", "src/my loop.py:7:9"),
    ]
    assert "\x1b]8" not in shown(report, settings(color=True))


def test_colour_changes_nothing_but_colour() -> None:
    report = Report((COPY, ITEM), (BROKEN,), 12)
    colored = shown(report, settings(color=True, links=True))
    assert "\x1b[1;33mwarning\x1b[0m" in colored
    assert "\x1b[31m- " in colored
    assert "\x1b]8;" in colored
    assert ESCAPE.sub("", colored) == shown(report, settings())


def test_the_fixs_level_names_the_flag_that_applies_it() -> None:
    fix = Fix("use fused attention", (edit_of("loss.item()", "loss"),), Safety.NUMERICS)
    page = shown(Report((replace(ITEM, fix=fix),), (), 1), settings(120))
    assert (
        "use fused attention (numerics: other rounding, order or random numbers; apply with --fix --numeric-fixes)"
        in page
    )
    assert "(1 fixable with --fix --numeric-fixes)" in page


def test_tabs_keep_the_carets_in_place() -> None:
    assert frame_of("if x:\n\ty =\tloss.item()\n", "loss.item()", settings()) == [
        "  1 │ if x:",
        "  2 │     y = loss.item()",
        "    │         ^^^^^^^^^^^",
    ]


def test_wide_characters_keep_the_carets_in_place() -> None:
    assert frame_of('名前 = "入力", loss.item()\n', "loss.item()", settings()) == [
        '  1 │ 名前 = "入力", loss.item()',
        "    │                ^^^^^^^^^^^",
    ]


def test_in_ascii_a_wide_character_takes_its_two_columns() -> None:
    assert frame_of('名前 = "é", loss.item()\n', "loss.item()", settings(unicode=False)) == [
        '  1 | ???? = "?", loss.item()',
        "    |             ^^^^^^^^^^^",
    ]


def test_source_cannot_steer_the_terminal() -> None:
    lines = frame_of('evil = "\x1b[2J\u202e", loss.item()\n', "loss.item()", settings())
    assert lines == [
        '  1 │ evil = "\ufffd[2J\ufffd", loss.item()',
        "    │                 ^^^^^^^^^^^",
    ]


def test_a_long_line_is_cropped_behind_the_span() -> None:
    line, carets = frame_of(f"x = loss.item(), {'y' * 200}\n", "loss.item()", settings(40))
    assert line == "  1 │ x = loss.item(), yyyyyyyyyyyyyyyy…"
    assert carets == "    │     ^^^^^^^^^^^"


def test_a_long_line_is_folded_where_the_span_would_not_show() -> None:
    text = "x = call(first=None, second=None, last=loss.item(), more=None)\n"
    assert frame_of(text, "loss.item()", settings(40)) == [
        "  1 │ x = call(first=None, second=None,",
        "    │ last=loss.item(), more=None)",
        "    │      ^^^^^^^^^^^",
    ]


def test_of_a_very_long_line_the_piece_with_the_span_is_shown() -> None:
    text = f"x = call(first=None, second=None, last=loss.item(), {'y' * 200})\n"
    assert frame_of(text, "loss.item()", settings(40)) == [
        "  1 │ …ast=loss.item(), yyyyyyyyyyyyyyy…",
        "    │      ^^^^^^^^^^^",
    ]


def test_a_span_longer_than_the_line_shows_its_beginning() -> None:
    lines = frame_of(f"    x = total({'a' * 300})\n", f"total({'a' * 300})", settings(40))
    assert lines[:2] == ["  1 │     x = total(aaaaaaaaaaaaaaaaaaaa", "    │         ^^^^^^^^^^^^^^^^^^^^^^^^^^"]
    assert lines[-2].endswith("…")
    assert len(lines) == 8


def test_a_span_of_several_lines_is_bracketed() -> None:
    text = "before = 1\nloader = DataLoader(\n    dataset,\n)\nafter = 2\n"
    assert frame_of(text, "DataLoader(\n    dataset,\n)", settings()) == [
        "  1 │   before = 1",
        "  2 │   loader = DataLoader(",
        "    │ ╭──────────^",
        "  3 │ │     dataset,",
        "  4 │ │ )",
        "    │ ╰─^",
        "  5 │   after = 2",
    ]


def test_a_statement_of_several_lines_is_bracketed_from_its_side() -> None:
    text = "for x in loader:\n    total += x.item()\n"
    assert frame_of(text, text.rstrip(), settings(unicode=False)) == [
        "  1 | / for x in loader:",
        "  2 | |     total += x.item()",
        r"    | \_____________________^",
    ]


def test_the_middle_of_a_long_span_is_left_out() -> None:
    text = "call(\n" + "".join(f"    {n},\n" for n in range(30)) + ")\n"
    lines = frame_of(text, text.rstrip(), settings())
    assert lines[4:7] == ["     │ │ …", "  31 │ │     29,", "  32 │ │ )"]


def test_a_finding_without_its_text_is_still_told() -> None:
    page = shown(Report((replace(ITEM, path="gone.py", fix=None),), (), 1), settings(100))
    assert page.splitlines()[:3] == [
        "warning[TRN201]: `.item()` makes the host wait for the device in each training step.",
        "  --> gone.py:9:18  item-in-training-step",
        "  note: runs each training step: line 6: loop over train_loader → Trainer.step",
    ]


def test_a_span_past_the_end_of_the_file_has_no_frame() -> None:
    far = replace(ITEM, span=Span(400, 1, 400, 5), fix=Fix("t", (Edit(5000, 5001, ""),), Safety.SAFE))
    assert "│" not in shown(Report((far,), (), 1), settings())


def test_a_long_diff_is_cut_and_says_so() -> None:
    fix = Fix("rewrite", (edit_of("return total", "\n".join(f"    call({n})" for n in range(60))),), Safety.SAFE)
    page = shown(Report((replace(ITEM, fix=fix),), (), 1), settings())
    assert "more lines; --diff shows all" in page
    assert page.count("call(") < 30


def test_a_clean_report_does_not_import_rich() -> None:
    program = (
        "import sys\n"
        "from trainlint.finding import Report\n"
        "from trainlint.report import Settings, render\n"
        "for name in ('full', 'concise'):\n"
        "    render(Report((), (), 3), name, sources=lambda path: None, rules=(), settings=Settings())\n"
        "print(sorted({'rich', 'libcst', 'json', 'torch', 'hashlib', 'difflib'} & set(sys.modules)))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


@st.composite
def findings(draw: st.DrawFn) -> tuple[Finding, str]:
    """A finding with a fix somewhere in any text."""
    alphabet = st.one_of(st.sampled_from("ab( \t\n\r\f\x1b入é\u0301"), st.characters(exclude_categories=["Cs"]))
    text = draw(st.text(alphabet, max_size=200))
    source = source_from_text("x.py", text)
    start, stop = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
    fix = Fix(draw(st.text(max_size=60)), (Edit(start, stop, draw(st.text(alphabet, max_size=60))),), Safety.SAFE)
    finding = Finding(
        "TRN201", "item-in-training-step", "x.py", source.span(start, stop), draw(st.text(max_size=120)),
        Severity.ERROR, Heat.STEP, Confidence.POSSIBLE, ("line 1: loop",), draw(st.sampled_from([fix, None])),
    )  # fmt: skip
    return finding, text


@hypothesis_settings(deadline=None, max_examples=100)
@given(findings(), st.sampled_from([40, 80, 200]), st.booleans(), st.booleans())
def test_whatever_the_text_every_line_fits_and_ends_cleanly(
    case: tuple[Finding, str], width: int, unicode: bool, color: bool
) -> None:
    finding, text = case
    source = source_from_text("x.py", text)
    page = render(
        Report((finding,), (), 1), "full", sources={"x.py": source}.get, rules=(),
        settings=Settings(Style(width, color, unicode, links=False)),
    )  # fmt: skip
    for line in ESCAPE.sub("", page).split("\n"):
        assert line == line.rstrip(" ")
        assert cell_len(line) <= width
        assert "\x1b" not in line
        assert unicode or line.isascii()


def test_related_places_are_notes_and_of_many_only_the_nearest() -> None:
    places = tuple(RelatedPlace("src/loop.py", line, 9, "calls `step`") for line in range(1, 6))
    page = shown(Report((replace(ITEM, related=places[:2]),), (), 1), settings())
    assert "  also: src/loop.py:1:9 calls `step`\n  also: src/loop.py:2:9 calls `step`\n" in page
    page = shown(Report((replace(ITEM, related=places),), (), 1), settings())
    assert "src/loop.py:3:9" in page
    assert "src/loop.py:4:9" not in page
    assert "also: 2 more places like these" in page
