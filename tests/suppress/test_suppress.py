"""What ignore comments silence, and what is said of those that silence nothing.

The findings here are one TRN201 at each `.item()` and one TRN202 at each `.cpu()`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.toy_rules import RULES
from trainlint.finding import Finding, Safety, Severity
from trainlint.source import SourceFile, source_from_text
from trainlint.suppress import Suppression, suppress
from trainlint_rules.itself.unused_ignore import UnusedIgnore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trainlint.rule import Rule

FOUND_AT = {"item": ("TRN201", "item-in-training-step"), "cpu": ("TRN202", "host-copy-in-training-step")}


def found_in(source: SourceFile) -> Iterator[Finding]:
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.Attribute) and node.attr in FOUND_AT and node.end_lineno and node.end_col_offset:
            code, name = FOUND_AT[node.attr]
            stop = source.offset(node.end_lineno, node.end_col_offset)
            span = source.span(source.offset(node.lineno, node.col_offset), stop)
            yield Finding(code, name, source.path, span, "It waits.", Severity.WARNING)


def judged(text: str, ran: Sequence[Rule] = RULES, *, all_known: bool = True) -> Suppression:
    source = source_from_text("train.py", text)
    codes = {rule.code for rule in ran}
    findings = [finding for finding in found_in(source) if finding.code in codes]
    known = RULES if all_known else None
    whole = suppress(source, findings, ran, known)
    assert suppress(source, findings, ran, known, ast.parse(text)) == whole  # reading less of the file hides nothing
    return whole


def told(text: str, *ran: str) -> list[str]:
    """The findings that are left, as "code line", when the rules of some codes run (no code: all of them)."""
    rules = [rule for rule in RULES if not ran or rule.code in ran]
    return [f"{finding.code} {finding.span.start_line}" for finding in judged(text, rules).findings]


def fixed(text: str) -> str:
    """The text after fixes of unused ignores, pass by pass, until there are none."""
    for _ in range(10):
        edits = sorted(edit for finding in judged(text).findings if finding.fix for edit in finding.fix.edits)
        if not edits:
            return text
        done, position = "", 0
        for edit in edits:
            if edit.start >= position:
                done += text[position : edit.start] + edit.text
                position = edit.stop
        text = done + text[position:]
    raise AssertionError("the fixes do not come to an end")


# What is silenced


@pytest.mark.parametrize(
    "comment",
    [
        "# trainlint: ignore[TRN201]",
        "# trainlint: ignore[TRN201] once an epoch",
        "#trainlint:ignore[TRN201]",
        "# trainlint: ignore[trn201]",
        "# trainlint: ignore[TRN202, TRN201]",
        "# trainlint: ignore[TRN202 TRN201]",
        "# trainlint: ignore[item-in-training-step]",
        "# trainlint: ignore[TRN2]",
        "# trainlint: ignore[TRN]",
        "# trainlint: ignore[ALL]",
        "# trainlint: ignore[TRN201",
        "# trainlint: ignore TRN201",
        "# trainlint: ignore: TRN201 because",
        "# trainlint: ignore",
        "# trainlint: ignore because of #12",
        "# trainlint: ignore[TOR901]",
        "# noqa",
        "# NOQA",
        "# noqa because",
        "# noqa: TRN201",
        "# noqa:TRN201",
        "# noqa : TRN201",
        "# noqa: E501, TRN201",
        "# noqa: E501 TRN201",
        "# noqa: TRN201 once an epoch",
        "# noqa: TRN2",
        "# noqa: TRN",
        "# noqa: item-in-training-step",
        "# noqa: TOR901",
        "# noqa: TOR9",
        "# noqa:E501,TOR901",
        "# type: ignore  # noqa: TRN201",
        "# noqa: E501  # trainlint: ignore[TRN201]",
        "# why not?  # trainlint: ignore[TRN201]  # fmt: skip",
    ],
)
def test_silenced_by(comment: str) -> None:
    result = judged(f"loss.item()  {comment}\n")
    assert "TRN201" not in [finding.code for finding in result.findings]
    assert result.suppressed == 1


@pytest.mark.parametrize(
    "line",
    [
        "loss.item()  # trainlint: ignore[TRN202]",
        "loss.item()  # trainlint: ignore[]",
        "loss.item()  # trainlint: ignored",
        "loss.item()  # trainlint: ignore-file[TRN201]",
        "loss.item()  # noqa: E501",
        "loss.item()  # noqa: ACME001",
        "loss.item()  # noqa: TOR90123",
        "loss.item()  # noqa-ish",
        "loss.item()  # flake8: noqa",
        "loss.item()  # see trainlint: ignore[TRN201]",
        "loss.item('# noqa: TRN201')",
        "'''\n# trainlint: ignore-file\n'''; loss.item()",
        "# flake8: noqa\nloss.item()",
        "# flake8: noqa: E501\nloss.item()",
        "# trainlint: ignore[TRN201]\nloss.item()",
        "loss.item()\n# noqa: TRN201",
    ],
)
def test_not_silenced_by(line: str) -> None:
    assert "TRN201" in [finding.code for finding in judged(line + "\n").findings]


@pytest.mark.parametrize(
    "comment",
    [
        "# trainlint: ignore-file[TRN201] a benchmark",
        "# trainlint: ignore-file",
        "# trainlint: ignore-file[TRN2]",
        "# flake8: noqa: TRN201",
        "# ruff: noqa: E501, TRN201",
    ],
)
def test_a_whole_file_is_silenced_by(comment: str) -> None:
    assert told(f"loss.item()\n\nif True:\n    {comment}\n    loss.item()\n") == []


MULTI_LINE = """\
total = (
    loss.item()
    + other.sum(  # here
        1
    )
)
"""


@pytest.mark.parametrize("line", range(1, 7))
def test_a_comment_on_any_line_of_a_statement_counts(line: int) -> None:
    lines = MULTI_LINE.splitlines()
    lines[line - 1] += "  # noqa: TRN201"
    assert told("\n".join(lines)) == []


def test_a_comment_on_a_line_of_its_own_inside_a_statement_counts() -> None:
    assert told("total = (\n    # trainlint: ignore[TRN201]\n    loss.item()\n)\n") == []


HEADER = """\
@decorator
def step(
    loss=total.item(),
):
    x = 1
"""


@pytest.mark.parametrize(("line", "expected"), [(1, ["TRN002 1", "TRN201 3"]), (2, []), (3, []), (4, [])])
def test_the_header_of_a_block_is_one_statement(line: int, expected: list[str]) -> None:
    lines = HEADER.splitlines()
    lines[line - 1] += "  # noqa: TRN201"
    assert told("\n".join(lines)) == expected


def test_a_comment_in_the_body_does_not_reach_the_header() -> None:
    text = "while loss.item():\n    # trainlint: ignore[TRN201]\n    x = 1  # trainlint: ignore[TRN201]\n"
    assert told(text) == ["TRN201 1", "TRN002 2", "TRN002 3"]


def test_a_comment_on_the_header_does_not_reach_the_body() -> None:
    assert told("for x in y:  # trainlint: ignore[TRN201]\n    x.item()\n") == ["TRN002 1", "TRN201 2"]


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def f(self):\n        a(b.item(),\n          c)  # noqa: TRN201\n",
        "class A(b.item()): \\\n    x = 1  # noqa: TRN201\n",
        "def f(a,\n      b=c.item(),\n): return a(  # noqa: TRN201\n    b)\n",
        "class A:\n    @b.item(\n    )\n    def f(self):  # noqa: TRN201\n        pass\n",
        "class A:\n    @ b.item\n    # noqa: TRN201\n    def f(self): pass\n",
        "def f():\n    '\\\n# noqa: TRN201'\n    x = 1; y = a(b.item(),\n  c)  # noqa: TRN201\n",
        "def f():\n    if a:\n        b.item()\n  # noqa: TRN201\n    return 1\n",
    ],
    ids=["nested", "continued", "header", "decorator", "spaced", "shared", "dedented"],
)
def test_comments_in_nested_code_are_the_same_with_the_tree(text: str) -> None:
    assert judged(text).suppressed <= 1  # `judged` compares what is said with and without the tree


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_of_all_kinds(newline: str) -> None:
    text = "# größe\x0c\nx = '''\n\n'''\nwith a.item(), \\\n  b.item(): # noqa: TRN201\n  c.item() # noqa: TRN202\n"
    assert told(text.replace("\n", newline)) == ["TRN201 7", "TRN002 7"]


def test_nothing_is_tokenized_without_a_comment_of_ours() -> None:
    source = source_from_text("train.py", "this is no Python (\n")
    assert suppress(source, [], RULES, known=RULES) == Suppression((), 0)


# Unused ignores


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1  # trainlint: ignore[TRN201]\n", "x = 1\n"),
        ("x = 1  # trainlint: ignore[TRN201] as #12 says\n", "x = 1\n"),
        ("x = 1  # trainlint: ignore[TRN201, TRN202] reason\n", "x = 1\n"),
        ("x = 1  # trainlint: ignore\n", "x = 1\n"),
        ("x = 1  # trainlint: ignore[]\n", "x = 1\n"),
        ("x = 1  # trainlint: ignore[TRN2]\n", "x = 1\n"),
        ("x = 1  # trainlint: ignore[TOR901]\n", "x = 1\n"),
        ("x.item()  # trainlint: ignore[TRN201, TRN202] reason\n", "x.item()  # trainlint: ignore[TRN201] reason\n"),
        ("x.item()  # trainlint: ignore[TRN202, TRN201] reason\n", "x.item()  # trainlint: ignore[TRN201] reason\n"),
        ("x = 1  # noqa: TRN201\n", "x = 1\n"),
        ("x = 1  # noqa: TRN201 reason\n", "x = 1\n"),
        ("x = 1  # noqa: E501,TRN201,W6 reason\n", "x = 1  # noqa: E501,W6 reason\n"),
        ("x = 1  # noqa: TRN201 E501\n", "x = 1  # noqa: E501\n"),
        ("x = 1  # noqa: TRN201, E501 W6\n", "x = 1  # noqa: E501 W6\n"),
        ("x = 1  # note  # noqa: TRN201\n", "x = 1  # note\n"),
        ("x = 1  # noqa: TRN201  # note\n", "x = 1  # note\n"),
        ("x = 1  # noqa: TRN201 # type: ignore\n", "x = 1  # type: ignore\n"),
        ("x = 1  # noqa: TRN201  # trainlint: ignore[TRN202]\n", "x = 1\n"),
        ("if x:\n    # trainlint: ignore[TRN201]\n    y = 1\n", "if x:\n    y = 1\n"),
        ("if x:\n    # noqa: TRN201  # note\n    y = 1\n", "if x:\n    # note\n    y = 1\n"),
        ("# trainlint: ignore-file[TRN201]\nx = 1\n", "x = 1\n"),
        ("x = 1\r\n# flake8: noqa: TRN201\r\n", "x = 1\r\n"),
        ("x = 1\n# trainlint: ignore-file", "x = 1\n"),
        ("x = 1  # noqa: TRN201", "x = 1"),
    ],
)
def test_an_unused_ignore_is_removed(before: str, after: str) -> None:
    assert "TRN002" in [finding.code for finding in judged(before).findings]
    assert fixed(before) == after


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # noqa",
        "x = 1  # noqa: E501",
        "x = 1  # noqa: TOR901",
        "# flake8: noqa: E501\nx = 1",
        "x.item()  # trainlint: ignore",
        "x.item()  # trainlint: ignore[TRN2]",
        "x.item()  # noqa: TRN201, E501",
        "x.item()  # noqa: TRN201  # trainlint: ignore[TRN201]",
        "x = '# trainlint: ignore[TRN201]'",
        "# trainlint: ignore-file[TRN201]\nx.item()",
        "x = 1  # trainlint: ignore[TRN302, TRN201, TRN002]",
        "x = 1  # trainlint: ignore[TRN201]  # noqa: TRN002",
        "# trainlint: ignore-file[unused-ignore]\nx = 1  # noqa: TRN201",
    ],
)
def test_not_called_unused(text: str) -> None:
    assert told(text) == []


def test_one_comment_is_one_finding_at_its_words() -> None:
    [finding] = judged("x = 1  # trainlint: ignore[TRN201, TRN202]\n").findings
    assert finding.message.startswith("unused ignore: TRN201 and TRN202 do not occur here")
    assert (finding.span.start_column, finding.span.end_column) == (28, 42)
    assert (finding.severity, finding.name) == (Severity.ADVICE, "unused-ignore")
    assert finding.fix
    assert finding.fix.safety is Safety.SAFE


def test_rules_that_did_not_run_are_not_judged() -> None:
    text = "x = 1  # trainlint: ignore[TRN201, TRN202]\n"
    [finding] = judged(text, [rule for rule in RULES if rule.code in ("TRN002", "TRN202")]).findings
    assert finding.message.startswith("unused ignore: TRN202 does not occur")
    assert finding.fix
    assert finding.fix.title == "Remove TRN202 from the comment"


@pytest.mark.parametrize("comment", ["# trainlint: ignore", "# trainlint: ignore[TRN2]", "# noqa: TRN2"])
def test_what_silences_several_rules_is_judged_only_if_all_of_them_ran(comment: str) -> None:
    text = f"x = 1  {comment}\n"
    everything_but_previews = [rule.code for rule in RULES if not rule.preview]
    assert told(text, *everything_but_previews) == ["TRN002 1"]
    assert told(text, "TRN002", "TRN201") == []


def test_a_preview_rule_is_judged_if_it_ran() -> None:
    assert told("x = 1  # noqa: TRN302\n", "TRN002") == []
    assert told("x = 1  # noqa: TRN302\n", "TRN002", "TRN302") == ["TRN002 1"]


def test_nothing_is_called_unused_when_that_rule_is_off() -> None:
    assert told("x = 1  # noqa: TRN201, TRN299\n", "TRN201") == []


def test_silencing_unused_ignores_without_need_is_unused_too() -> None:
    assert told("x.item()  # trainlint: ignore[TRN201, TRN002]\n") == ["TRN002 1"]
    assert fixed("x.item()  # trainlint: ignore[TRN201, TRN002]\n") == "x.item()  # trainlint: ignore[TRN201]\n"
    assert fixed("x.item()  # trainlint: ignore[TRN201, TRN003]\n") == "x.item()  # trainlint: ignore[TRN201]\n"


def test_a_blanket_does_not_hide_that_it_is_unused() -> None:
    assert told("x = 1  # trainlint: ignore\n") == ["TRN002 1"]
    assert told("# trainlint: ignore-file\nx = 1  # noqa: TRN201\n") == ["TRN002 1", "TRN002 2"]


# Unknown codes


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# trainlint: ignore[TRN21]", 'no rule is called "TRN21", so this comment cannot silence it; '),
        ("# trainlint: ignore[item-in-trainingstep]", 'did you mean "item-in-training-step"?'),
        ("# trainlint: ignore[E501]", 'no rule is called "E501", so this comment cannot silence it'),
        ("# noqa: E501, TRN209", 'no rule is called "TRN209", so this comment cannot silence it; did you mean "TRN20'),
        ("# noqa: ACME009", 'did you mean "ACME001"?'),
        ("# trainlint: ignore-file[TRN9]", 'no rule is called "TRN9"'),
    ],
)
def test_an_unknown_code_is_told_with_the_nearest(comment: str, message: str) -> None:
    [finding] = judged(f"{comment}\n").findings
    assert finding.code == "TRN003"
    assert message in finding.message
    assert finding.fix is None


def test_an_unknown_code_can_be_silenced_by_naming_its_rule() -> None:
    assert told("x = 1  # trainlint: ignore[OLD1, TRN003]\n") == []


def test_without_the_installed_rules_only_full_codes_are_judged() -> None:
    text = "x = 1  # trainlint: ignore[TRN201, TRN2, TRN999]  # trainlint: ignore\n"
    [finding] = judged(text, all_known=False).findings
    assert finding.message.startswith("unused ignore: TRN201 does not occur")


# The page


def test_the_example_on_the_page_is_found_and_fixed() -> None:
    assert told(UnusedIgnore.manual.example) == ["TRN002 3", "TRN002 4"]
    assert fixed(UnusedIgnore.manual.example) == UnusedIgnore.manual.cure


# Properties

_statements = st.sampled_from(
    [
        "x.item()",
        "y = x.cpu()",
        "f(x.item(), x.cpu())",
        "y = (\n    x.item()\n    + 1\n)",
        "y = [\n    1,\n    x.cpu(),\n    # inside\n]",
        "y = '''\n# noqa: TRN201\n'''",
        "y = '# trainlint: ignore[TRN201]', x.item()",
        "y = 1; z = x.item()",
        "y = 1 + \\\n    x.item()",
        "while x.item(): break",
        "y = 'ü', x.item()",
    ]
)
_headers = st.sampled_from(
    [
        "if x.item():",
        "for y in f(\n    x.cpu(),\n):",
        "while True:",
        "def f(\n    y=x.item(),\n):",
        "with x.cpu() as y:",
    ]
)
_comments = st.sampled_from(
    [
        "# trainlint: ignore[TRN201]",
        "# trainlint: ignore[TRN201, TRN202] reason",
        "# trainlint: ignore",
        "# noqa: TRN201",
        "# noqa: E501, TRN202 reason",
        "# noqa",
        "# note  # trainlint: ignore[TRN202]  # fmt: skip",
        "# noqa: TRN201  # trainlint: ignore[TRN202]",
        "# trainlint: ignore[TRN2, item-in-training-step]",
        "# trainlint: ignore-file[TRN201]",
        "# flake8: noqa: E1, TRN202",
        "# note",
    ]
)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


_blocks = st.recursive(
    _statements,
    lambda inner: st.tuples(_headers, st.lists(inner, min_size=1, max_size=2)).map(
        lambda parts: parts[0] + "\n" + "\n".join(_indented(statement) for statement in parts[1])
    ),
    max_leaves=4,
)
_programs = st.lists(_blocks, min_size=1, max_size=4).map(lambda blocks: "\n".join(blocks) + "\n")


@given(_programs)
def test_an_ignore_for_every_finding_silences_all_and_is_not_unused(program: str) -> None:
    before = list(found_in(source_from_text("train.py", program)))
    lines = program.split("\n")
    for last_line, codes in _codes_by_statement(program).items():
        lines[last_line - 1] += f"  # trainlint: ignore[{', '.join(sorted(codes))}]"

    result = judged("\n".join(lines))

    assert result == Suppression((), len(before))


def _codes_by_statement(program: str) -> dict[int, set[str]]:
    """Codes of findings by the last line of the smallest statement, or block's header, that holds them."""
    codes: dict[int, set[str]] = {}
    for statement in ast.walk(ast.parse(program)):
        if isinstance(statement, ast.stmt):
            last_line = _last_line(statement, program)
            nested = {id(node) for child in getattr(statement, "body", []) for node in ast.walk(child)}
            for node in ast.walk(statement):
                if isinstance(node, ast.Attribute) and node.attr in FOUND_AT and id(node) not in nested:
                    codes.setdefault(last_line, set()).add(FOUND_AT[node.attr][0])
    return codes


def _last_line(statement: ast.stmt, program: str) -> int:
    body = getattr(statement, "body", None)
    if not body:
        assert statement.end_lineno
        return statement.end_lineno
    first = body[0].lineno
    return first if first == statement.lineno else _line_of_colon(program, first)


def _line_of_colon(program: str, first_of_body: int) -> int:
    lines = program.split("\n")
    return next(number for number in range(first_of_body - 1, 0, -1) if lines[number - 1].endswith(":"))


@settings(deadline=None)
@given(_programs, st.lists(st.tuples(st.integers(1, 30), _comments, st.booleans()), max_size=5))
def test_removing_unused_ignores_comes_to_an_end_and_keeps_the_program(
    program: str, comments: list[tuple[int, str, bool]]
) -> None:
    text = program
    for line, comment, alone in comments:
        lines = text.split("\n")
        number = min(line, len(lines) - 1)
        indent = lines[number - 1][: len(lines[number - 1]) - len(lines[number - 1].lstrip())]
        lines[number - 1 : number] = (
            [indent + comment, lines[number - 1]] if alone else [f"{lines[number - 1]}  {comment}"]
        )
        if _dump("\n".join(lines)) == _dump(program):  # else it landed in a string, or after a backslash
            text = "\n".join(lines)
    kept = [finding for finding in judged(text).findings if finding.code != "TRN002"]

    done = fixed(text)

    assert _dump(done) == _dump(program)
    assert fixed(done) == done
    after = judged(done)
    assert [finding.code for finding in after.findings] == [finding.code for finding in kept]
    assert after.suppressed == judged(text).suppressed


def _dump(program: str) -> str | None:
    try:
        return ast.dump(ast.parse(program))
    except SyntaxError:
        return None
