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

from tests.report.toys import BROKEN, COPY, CRASHED, ITEM, REPORT, RULES, edit_of, settings, sources
from trainlint.finding import Confidence, Edit, Finding, Fix, Heat, RelatedPlace, Report, Safety, Severity, Span
from trainlint.report import Settings, Style, render
from trainlint.source import source_from_text

ESCAPE = re.compile(r"\x1b(?:\[[0-9;]*m|\]8;[^\x1b]*\x1b\\)")


def shown(report: Report, style: Settings) -> str:
    """The report with `--verbose`."""
    return render(report, "full", sources=sources, rules=(), settings=replace(style, verbose=True))


def short(report: Report, style: Settings) -> str:
    return render(report, "full", sources=sources, rules=(), settings=style)


def frame_of(text: str, words: str, style: Settings) -> list[str]:
    """The lines with a bar of the report on one finding at these words."""
    source = source_from_text("x.py", text)
    start = text.index(words)
    finding = replace(ITEM, path="x.py", span=source.span(start, start + len(words)), fix=None, chain=())
    report, whole = Report((finding,), (), 1), replace(style, verbose=True)
    page = render(report, "full", sources={"x.py": source}.get, rules=(), settings=whole)
    bar = "│" if style.style.unicode else "|"
    return [line for line in page.splitlines() if bar in line]


def test_a_report_at_80_columns() -> None:
    expected = """\
warning[TRN201]: `.item()` makes the host wait for the device in each training
step.
  --> src/train.py:9:18  item-in-training-step
   5 │ -     total = 0.0
   5 │ +     total = torch.zeros((), device=device)
   9 │ -         total += loss.item()
   9 │ +         total += loss.detach()
  11 │ -     return total
  11 │ +     return total.item()
  fix:  keep a detached sum and read it once (--fix --unsafe-fixes)
  step: line 6: loop over train_loader → Trainer.step

advice[TRN205]: The host waits for this copy. (likely)
  --> src/train.py:7:22  blocking-batch-copy
  7 │ -         loss = model(batch.to(device))
  7 │ +         loss = model(batch.to(device, non_blocking=True))
  fix:  copy without waiting (--fix)
  runs: each training step

error: could not judge src/broken.py: line 3 is no valid Python; mend it or
  exclude it
error: could not judge src/train.py: the rule TRN205 failed with IndexError;
  please report it

Found 2 problems; 4 of 12 files train (1 fixable with --fix, 1 more with --fix
--unsafe-fixes; 1 problem ignored by comments); not everything could be judged:
2 failures.

  trainlint check --fix
  trainlint check --diff --unsafe-fixes       # 1 place, for your judgement
  trainlint why src/train.py:9                # how trainlint knows it
  trainlint prove --against HEAD SCRIPT       # waits, time, losses of a change
  trainlint baseline                          # from now on report what is new
  trainlint check --verbose                   # more code, and further places
"""
    assert (
        short(Report((COPY, ITEM), (BROKEN, CRASHED), files=12, training=4, in_step=4, suppressed=1), settings())
        == expected
    )


def test_a_verbose_report_at_80_columns() -> None:
    expected = """\
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

advice[TRN205]: The host waits for this copy. (likely)
  --> src/train.py:7:22  blocking-batch-copy

  6 │       for batch in train_loader:
  7 │ -         loss = model(batch.to(device))
  7 │ +         loss = model(batch.to(device, non_blocking=True))
  8 │           loss.backward()

  note: runs each training step
  fix:  copy without waiting (safe; apply with --fix)
  docs: trainlint explain TRN205

error: could not judge src/broken.py: line 3 is no valid Python; mend it or
  exclude it

Found 2 problems; 4 of 12 files train (1 fixable with --fix, 1 more with --fix
--unsafe-fixes); not everything could be judged: 1 failure.

  trainlint check --fix
  trainlint check --diff --unsafe-fixes       # 1 place, for your judgement
  trainlint why src/train.py:9                # how trainlint knows it
  trainlint prove --against HEAD SCRIPT       # waits, time, losses of a change
  trainlint baseline                          # from now on report what is new
"""
    assert shown(Report((COPY, ITEM), (BROKEN,), files=12, training=4, in_step=4), settings()) == expected


def test_a_report_at_40_columns_in_ascii() -> None:
    expected = """\
warning[TRN201]: `.item()` makes the
host wait for the device in each
training step.
  --> src/train.py:9:18
   5 | -     total = 0.0
   5 | +     total = torch.zeros((),
     | + device=device)
   9 | -         total += loss.item()
   9 | +         total += loss.detach()
  11 | -     return total
  11 | +     return total.item()
  fix:  keep a detached sum and read it
        once (--fix --unsafe-fixes)
  step: line 6: loop over train_loader
        -> Trainer.step

Found 1 problem in 1 file, which trains
(1 fixable with --fix --unsafe-fixes).

  trainlint check --diff --unsafe-fixes
  trainlint why src/train.py:9
  trainlint prove --against HEAD SCRIPT
  trainlint baseline
  trainlint check --verbose
"""
    assert short(Report((ITEM,), (), files=1, training=1, in_step=1), settings(40, unicode=False)) == expected


def test_a_wide_terminal_shows_the_address_of_the_page() -> None:
    page = shown(REPORT, settings(200))
    assert "docs: https://github.com/trainlint/trainlint/blob/main/docs/rules/blocking-batch-copy.md\n" in page


def test_the_page_of_a_rule_is_named_once() -> None:
    assert shown(Report((ITEM, ITEM), (), 1), settings()).count("docs:") == 1


def at_lines(*lines: int) -> list[Finding]:
    """The same finding at each of these lines, without a fix."""
    return [replace(ITEM, span=replace(ITEM.span, start_line=line, end_line=line), fix=None) for line in lines]


def test_a_group_is_one_paragraph() -> None:
    text = short(Report(tuple(at_lines(3, 5, 7, 9)), (), files=1), settings(100))
    assert text.count("warning[TRN201]") == 1
    assert text.startswith("warning[TRN201]: 4 reads in lines 3 to 9: `.item()` makes the host wait for the device")
    assert "Found 1 problem at 4 places in 1 file, which does not train." in text


def test_what_to_do_is_said_once_unless_all_is_asked_for() -> None:
    first = replace(ITEM, help="log every N steps", fix=None)
    report = Report((first, replace(first, path="other.py")), (), 2)
    assert short(report, settings()).count("help: log every N steps") == 1
    assert shown(report, settings()).count("help: log every N steps") == 2


@pytest.mark.parametrize(("count", "in_full"), [(20, 20), (21, 10)])
def test_of_many_problems_only_the_dearest_are_shown_in_full(count: int, in_full: int) -> None:
    report = Report(tuple(replace(ITEM, path=f"part{number}.py") for number in range(count)), (), count)
    assert short(report, settings(100)).count("warning[TRN201]") == in_full
    assert (f"\n{count - in_full} more, in a line each (" in short(report, settings(100))) == (count > in_full)
    assert shown(report, settings(100)).count("warning[TRN201]") == count
    assert short(report, replace(settings(100), by_path=True)).count("warning[TRN201]") == count


def test_of_very_many_problems_the_last_ones_are_counted_by_file() -> None:
    each = [replace(ITEM, path=f"model{number:02}.py") for number in range(81)]
    lines = short(Report((*each, replace(ITEM, code="TRN607", path="model80.py")), (), 81), settings(100)).splitlines()
    first = lines.index("72 more, in a line each (`--verbose` shows all):")
    rest = lines[first + 51 : lines.index("", first)]
    assert rest[0] == "  model80.py: 2 more (TRN201 1, TRN607 1)"
    assert rest[-1] == "  11 further files: 11 more"
    assert len(rest) == 11


def test_what_another_rule_says_of_a_group_is_a_note() -> None:
    bar = replace(ITEM, code="TRN203", message="`loss.item()` in the bar", span=Span(10, 9, 10, 20), fix=None)
    loss = replace(ITEM, message="`loss.item()` waits", fix=None)
    text = short(Report((loss, bar), (), 1), settings())
    assert "warning[TRN201]: 2 reads in lines 9 and 10: `loss.item()` waits\n" in text
    assert "  also: line 10: TRN203 `loss.item()` in the bar\n" in text


def test_a_long_fix_is_not_shown_unless_all_is_asked_for() -> None:
    fix = Fix("rewrite", (edit_of("return total", "\n".join(f"    call({n})" for n in range(9))),), Safety.SAFE)
    report = Report((replace(ITEM, fix=fix),), (), 1)
    assert "call(" not in short(report, settings())
    assert "fix:  rewrite (--fix)\n" in short(report, settings())
    assert "call(8)" in shown(report, settings())


def test_how_often_a_line_runs_is_said_once() -> None:
    finding = replace(ITEM, message="`.item()` waits in every training step", fix=None)
    text = short(Report((finding,), (), 1), settings(100))
    assert text.startswith("warning[TRN201]: `.item()` waits\n")
    assert "  step: line 6: loop over train_loader → Trainer.step\n" in text


def test_a_chain_names_each_file_once_and_of_a_long_one_its_ends() -> None:
    steps = ("src/loop.py:8: for batch in loader", "src/loop.py:9: calls run")
    two = short(Report((replace(ITEM, chain=steps),), (), 1), settings(100))
    assert "  step: src/loop.py:8: for batch in loader → line 9: calls run\n" in two
    back = short(Report((replace(ITEM, chain=(*steps, "line 5: calls f")),), (), 1), settings(100))
    assert "line 9: calls run → src/train.py:5: calls f\n" in back.replace("\n        ", " ")
    four = short(Report((replace(ITEM, chain=(*steps, "line 1: calls f", "line 2: calls g")),), (), 1), settings(100))
    assert "  step: src/loop.py:8: for batch in loader → … → src/train.py:2: calls g\n" in four


def test_of_the_dearest_those_that_say_the_same_are_named_once() -> None:
    each = [replace(ITEM, path=f"model{number}.py") for number in range(4)]
    other = replace(ITEM, code="TRN607", message="`step` is slow", path="model4.py")
    lines = short(Report((*each, other), (), 5), settings(100)).splitlines()
    first = lines.index("Begin with these, the dearest by rule and frequency:")
    assert lines[first + 1].startswith("  1. model0.py:9 and 3 more: TRN201 ")
    assert lines[first + 2].startswith("  2. model4.py:9 TRN607 ")
    assert lines[first + 3] == ""


def test_of_a_long_line_the_span_is_shown_in_one_piece() -> None:
    text = f"    x = call(first=None, second={'y' * 60}, last=loss.item(), more=None)\n"
    source = source_from_text("x.py", text)
    start = text.index("loss.item()")
    finding = replace(ITEM, path="x.py", span=source.span(start, start + 11), fix=None)
    page = render(Report((finding,), (), 1), "full", sources={"x.py": source}.get, rules=(), settings=settings(50))
    line, carets = (line for line in page.splitlines() if "│" in line)
    assert line == "  1 │ …yyyyyy, last=loss.item(), more=None)"
    assert carets.index("^") == line.index("loss.item()")


def test_the_fixes_of_neighbouring_findings_are_one_diff() -> None:
    text = "x = inputs.cuda()\ny = targets.cuda()\nz = 1\n"
    source = source_from_text("x.py", text)
    found = []
    for line, name in ((1, "inputs.cuda("), (2, "targets.cuda(")):
        stop = text.index(name) + len(name)
        fix = Fix("copy", (Edit(stop, stop, "non_blocking=True"),), Safety.SAFE)
        found.append(replace(COPY, path="x.py", span=Span(line, 5, line, 8), fix=fix))
    whole = replace(settings(), verbose=True)
    page = render(Report(tuple(found), (), 1), "full", sources={"x.py": source}.get, rules=(), settings=whole)
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
        (Report((), (), 12, 12, 12), "All clear: 12 of 12 files train."),
        (Report((), (), 12, 3, 3), "All clear: 3 of 12 files train."),
        (Report((), (), 12), "All clear: none of 12 files trains."),
        (Report((), (), 1, 1, 1, suppressed=2), "All clear: 1 file, which trains (2 problems ignored by comments)."),
        (Report((), (), 3, 3, 3, fixed=2), "Fixed 2 problems. All clear: 3 of 3 files train."),
        (Report((), (), 0), "No file was judged."),
    ],
)
def test_a_clean_report_is_one_line(report: Report, line: str) -> None:
    assert shown(report, settings()) == f"{line}\n"


def test_all_clear_says_what_was_judged() -> None:
    page = render(Report((), (), 12, 3, 3), "full", sources=sources, rules=RULES, settings=settings())
    assert page == "All clear: 3 of 12 files train, and none of 2 rules found anything.\n"


def test_all_is_not_clear_where_something_could_not_be_judged() -> None:
    assert shown(Report((), (BROKEN,), 11, 11, 11), settings(100)) == (
        "error: could not judge src/broken.py: line 3 is no valid Python; mend it or exclude it\n\n"
        "Found no problem; 11 of 11 files train; not everything could be judged: 1 failure.\n"
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
