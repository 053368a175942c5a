"""Rounds of fixes end, each is proved, and only the guilty fix is dropped."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.fixing.helpers import finding
from trainlint.finding import Edit, Finding, Safety
from trainlint.fixing import fix_to_fixpoint
from trainlint.fixing.fixpoint import Judge
from trainlint.source import SourceFile, decode_source, source_from_text


def replacing(code: str, pattern: str, replacement: str) -> Judge:
    """A judge with one rule: it finds a pattern, and its fix writes the replacement."""

    def judge(source: SourceFile) -> Sequence[Finding]:
        return [
            finding(source, *match.span(), Edit(*match.span(), match.expand(replacement)), code=code)
            for match in re.finditer(pattern, source.text)
        ]

    return judge


def together(*judges: Judge) -> Judge:
    return lambda source: [found for judge in judges for found in judge(source)]


def counting(judge: Judge, calls: list[str]) -> Judge:
    def counted(source: SourceFile) -> Sequence[Finding]:
        calls.append(source.text)
        return judge(source)

    return counted


def test_fixes_of_fixes_are_applied_until_none_is_left() -> None:
    chain = together(replacing("TRN001", "one", "two"), replacing("TRN002", "two", "three"))
    result = fix_to_fixpoint(source_from_text("x.py", "one = two\n"), chain, Safety.SAFE)
    assert result.source.text == "three = three\n"
    assert [found.code for found in result.applied] == ["TRN001", "TRN002", "TRN002"]
    assert (result.remaining, result.unapplied) == ((), ())


def test_a_file_without_fixes_is_judged_once_and_given_back() -> None:
    source = source_from_text("x.py", "x = 1\n")
    calls: list[str] = []
    result = fix_to_fixpoint(source, counting(replacing("TRN001", "y", "z"), calls), Safety.SAFE)
    assert result.source is source
    assert calls == ["x = 1\n"]


def test_findings_beyond_the_limit_remain() -> None:
    def judge(source: SourceFile) -> Sequence[Finding]:
        return [finding(source, 0, 1, Edit(0, 1, "y"), safety=Safety.UNSAFE)]

    result = fix_to_fixpoint(source_from_text("x.py", "x = 1\n"), judge, Safety.NUMERICS)
    assert result.source.text == "x = 1\n"
    assert len(result.remaining) == 1
    assert result.unapplied == ()


def test_only_the_fix_that_breaks_the_syntax_is_dropped_and_its_rule_named() -> None:
    rules = together(replacing("TRN001", r"good\d", "done"), replacing("TRN002", "bad", "def ("))
    text = "good1\ngood2\nbad\ngood3\ngood4\n"
    result = fix_to_fixpoint(source_from_text("x.py", text), rules, Safety.SAFE)
    assert result.source.text == "done\ndone\nbad\ndone\ndone\n"
    assert [found.code for found in result.remaining] == ["TRN002"]
    (fix,) = result.unapplied
    assert fix.rule == "TRN002"
    assert fix.path == "x.py"
    assert "line 3" in fix.reason
    assert "can no longer be read" in fix.reason


def test_of_two_like_fixes_only_the_one_that_does_harm_is_dropped() -> None:
    rules = replacing("TRN001", r"(?m)^ *flush\(\)\n", "")
    text = "flush()\nif x:\n    flush()\ny()\nflush()\n"
    result = fix_to_fixpoint(source_from_text("x.py", text), rules, Safety.SAFE)
    assert result.source.text == "if x:\n    flush()\ny()\n"
    assert [fix.rule for fix in result.unapplied] == ["TRN001"]


def test_fixes_that_do_harm_only_together_are_applied_one_after_the_other() -> None:
    def judge(source: SourceFile) -> Sequence[Finding]:
        statements = list(re.finditer(r"    flush\(\)\n", source.text))
        new = "" if len(statements) > 1 else "    pass\n"
        return [finding(source, *match.span(), Edit(*match.span(), new)) for match in statements]

    result = fix_to_fixpoint(source_from_text("x.py", "if x:\n    flush()\n    flush()\n"), judge, Safety.SAFE)
    assert result.source.text == "if x:\n    pass\n"
    assert len(result.applied) == 2
    assert result.unapplied == ()


def test_a_fix_that_leaves_its_finding_is_dropped() -> None:
    result = fix_to_fixpoint(
        source_from_text("x.py", "slow()\n"),
        replacing(
            "TRN001",
            "slow",
            "slow ",
        ),
        Safety.SAFE,
    )
    assert result.source.text == "slow()\n"
    assert "still stands" in result.unapplied[0].reason
    assert [found.fix for found in result.remaining] == [None]


def reporting(code: str, pattern: str) -> Judge:
    """A judge with one rule that has no fix."""

    def judge(source: SourceFile) -> Sequence[Finding]:
        return [finding(source, *match.span(), code=code) for match in re.finditer(pattern, source.text)]

    return judge


def test_a_fix_that_brings_up_a_finding_where_it_writes_is_dropped() -> None:
    rules = together(replacing("TRN001", "slow", "fast"), reporting("TRN002", r"bare fast"))
    result = fix_to_fixpoint(source_from_text("x.py", "slow\n'bare slow'\nslow\n"), rules, Safety.SAFE)
    assert result.source.text == "fast\n'bare slow'\nfast\n"
    (fix,) = result.unapplied
    assert "TRN002 would be found on a line that it changes" in fix.reason
    assert "line 2" in fix.reason


def test_a_finding_that_stood_there_before_is_not_the_fault_of_a_fix() -> None:
    rules = together(replacing("TRN001", "slow", "fast"), reporting("TRN002", r"bare \w+"))
    result = fix_to_fixpoint(source_from_text("x.py", "'bare slow'\n"), rules, Safety.SAFE)
    assert result.source.text == "'bare fast'\n"
    assert result.unapplied == ()


def test_a_finding_that_comes_to_light_elsewhere_is_not_the_fault_of_a_fix() -> None:
    def judge(source: SourceFile) -> Sequence[Finding]:
        hidden = () if "slow" in source.text else reporting("TRN002", "elsewhere")(source)
        return [*replacing("TRN001", "slow", "fast")(source), *hidden]

    result = fix_to_fixpoint(source_from_text("x.py", "slow\nelsewhere\n"), judge, Safety.SAFE)
    assert result.source.text == "fast\nelsewhere\n"


def test_a_fix_may_bring_the_same_finding_to_light_elsewhere() -> None:
    def judge(source: SourceFile) -> Sequence[Finding]:
        found = [finding(source, *m.span(), Edit(*m.span(), "b")) for m in re.finditer("a", source.text)]
        if "a" not in source.text:
            found = [finding(source, *m.span(), Edit(*m.span(), "d")) for m in re.finditer("c", source.text)]
        return found

    result = fix_to_fixpoint(source_from_text("x.py", "a\nc\n"), judge, Safety.SAFE)
    assert result.source.text == "b\nd\n"
    assert result.unapplied == ()


def test_rules_that_undo_each_other_come_to_an_end() -> None:
    rules = together(replacing("TRN001", "ping", "pong"), replacing("TRN002", "pong", "ping"))
    result = fix_to_fixpoint(source_from_text("x.py", "ping\n"), rules, Safety.SAFE)
    assert result.source.text == "pong\n"
    assert [fix.rule for fix in result.unapplied] == ["TRN002"]
    assert "undoes" in result.unapplied[0].reason


def test_a_rule_without_end_is_left_out_and_the_others_still_fix() -> None:
    def growing(source: SourceFile) -> Sequence[Finding]:
        last = source.text.rindex("\n", 0, -1) + 1
        return [finding(source, last, last + 1, Edit(len(source.text), len(source.text), "x\n"), code="TRN002")]

    rules = together(replacing("TRN001", "good", "done"), growing)
    result = fix_to_fixpoint(source_from_text("x.py", "good\nx\n"), rules, Safety.SAFE)
    assert result.source.text == "done\nx\n"
    assert [fix.rule for fix in result.unapplied] == ["TRN002"]
    assert "do not end" in result.unapplied[0].reason


def test_a_fix_that_the_encoding_cannot_hold_is_dropped() -> None:
    source = decode_source("x.py", "# coding: latin-1\ngood = 'é'\nbad = 1\n".encode("latin-1"))
    rules = together(replacing("TRN001", "good", "done"), replacing("TRN002", "bad = 1", "bad = '€'"))
    result = fix_to_fixpoint(source, rules, Safety.SAFE)
    assert result.source.encode(result.source.text) == "# coding: latin-1\ndone = 'é'\nbad = 1\n".encode("latin-1")
    assert "iso-8859-1" in result.unapplied[0].reason
    assert result.unapplied[0].rule == "TRN002"


def test_a_fix_that_takes_the_coding_line_away_is_dropped() -> None:
    source = decode_source("x.py", "# coding: latin-1\ngood = 'é'\n".encode("latin-1"))
    result = fix_to_fixpoint(source, replacing("TRN001", "# coding: latin-1\n", ""), Safety.SAFE)
    assert result.source.text == source.text
    assert len(result.unapplied) == 1


def test_a_file_that_does_not_parse_is_not_touched() -> None:
    source = source_from_text("x.py", "def (:\nbad\n")
    result = fix_to_fixpoint(source, replacing("TRN001", "bad", "good"), Safety.SAFE)
    assert result.source is source
    assert result.unapplied == ()
    assert len(result.remaining) == 1


def test_a_broken_fix_is_a_failure_and_hides_no_other() -> None:
    def broken(source: SourceFile) -> Sequence[Finding]:
        last = len(source.text) - 2
        return [finding(source, last, last + 1, Edit(last, 999, "x"), code="TRN002")]

    rules = together(broken, replacing("TRN001", "good", "better"))
    result = fix_to_fixpoint(source_from_text("x.py", "good = 1\n"), rules, Safety.SAFE)
    assert result.source.text == "better = 1\n"
    assert [fix.rule for fix in result.unapplied] == ["TRN002"]
    assert "outside the file" in result.unapplied[0].reason


ENCODINGS: list[tuple[str, Callable[[str], bytes]]] = [
    ("utf-8", lambda text: text.encode()),
    ("utf-8 with BOM", lambda text: b"\xef\xbb\xbf" + text.encode()),
    ("gbk", lambda text: f"# coding: gbk\n{text}".encode("gbk")),
    ("latin-1", lambda text: f"# -*- coding: latin-1 -*-\n{text}".replace("中", "é").encode("latin-1")),
]


def test_bytes_outside_the_edit_survive_in_every_encoding_and_layout() -> None:
    pieces = ["x = '中'\r\n", "\f\n", "if slow:\r\n\ty = 1  # 中\n", "\n", "   \r\n", "slow = 2 "]
    for name, encode in ENCODINGS:
        before = encode("".join(pieces))
        source = decode_source("x.py", before)
        result = fix_to_fixpoint(source, replacing("TRN001", "slow", "rapid"), Safety.SAFE)
        assert result.unapplied == (), name
        assert result.source.encode(result.source.text) == before.replace(b"slow", b"rapid"), name


@given(st.text(alphabet="abcd \n=", max_size=40), st.permutations([("a", "b"), ("b", "c"), ("c", "dd"), ("d d", "d")]))
def test_fixing_twice_changes_nothing_more(text: str, rules: list[tuple[str, str]]) -> None:
    judge = together(*(replacing(f"TRN00{index}", *rule) for index, rule in enumerate(rules)))
    once = fix_to_fixpoint(source_from_text("x.py", text), judge, Safety.SAFE)
    twice = fix_to_fixpoint(once.source, judge, Safety.SAFE)
    assert twice.source == once.source
    assert twice.applied == ()
