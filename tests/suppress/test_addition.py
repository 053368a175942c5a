"""Comments that --add-ignores writes: behind the statement, with the codes, and nothing else changes."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.suppress.test_suppress import found_in, judged
from tests.toy_rules import RULES
from trainlint.finding import Finding, Severity, Span, apply_edits
from trainlint.source import source_from_text
from trainlint.suppress import suppress
from trainlint.suppress.addition import additions


def silenced(text: str, reason: str = "as measured") -> str:
    source = source_from_text("train.py", text)
    return apply_edits(text, additions(source, suppress(source, list(found_in(source)), RULES).findings, reason))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = x.item()\n", "a = x.item()  # trainlint: ignore[TRN201] as measured\n"),
        ("a = x.item()", "a = x.item()  # trainlint: ignore[TRN201] as measured"),
        ("a = x.item()   \nb\n", "a = x.item()  # trainlint: ignore[TRN201] as measured\nb\n"),
        (
            "f(\n    x.item(),\n    y.cpu(),\n)\n",
            "f(\n    x.item(),\n    y.cpu(),\n)  # trainlint: ignore[TRN201, TRN202] as measured\n",
        ),
        (
            "for a in x.cpu():\n    pass\n",
            "for a in x.cpu():  # trainlint: ignore[TRN202] as measured\n    pass\n",
        ),
        ("a = x.item() + \\\n    1\n", "a = x.item() + \\\n    1  # trainlint: ignore[TRN201] as measured\n"),
        (
            'a = x.item(), """\nb\n"""\n',
            'a = x.item(), """\nb\n"""  # trainlint: ignore[TRN201] as measured\n',
        ),
        ("a = x.item()  # a\n", "a = x.item()  # a  # trainlint: ignore[TRN201] as measured\n"),
        (
            "f(x.item(), y.cpu())  # trainlint: ignore[TRN202] ticket\n",
            "f(x.item(), y.cpu())  # trainlint: ignore[TRN202, TRN201] ticket\n",
        ),
        ("a = x.item(); b = y.item()\n", "a = x.item(); b = y.item()  # trainlint: ignore[TRN201] as measured\n"),
        ("a = x.item()\r\nb\r\n", "a = x.item()  # trainlint: ignore[TRN201] as measured\r\nb\r\n"),
    ],
)
def test_a_comment_stands_behind_the_statement(before: str, after: str) -> None:
    assert silenced(before) == after
    assert judged(after).findings == ()


STATEMENTS = st.lists(
    st.sampled_from(
        (
            "a = x.item()",
            "f(\n    x.cpu(), y.item()\n)",
            "if x.item():\n    y.cpu()",
            "a = x.item()  # trainlint: ignore[TRN202] gone",
            "b = 1  # a comment",
            'c = """\nx.item()\n"""',
            "@x.cpu()\ndef g():\n    return x.item()",
            "with x.item() as a, \\\n        y.cpu():\n    pass",
        )
    ),
    max_size=6,
).map("\n".join)


@given(STATEMENTS)
def test_what_was_found_is_silent_and_the_code_is_the_same(text: str) -> None:
    after = silenced(text)
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(text))
    assert {finding.code for finding in judged(after).findings} <= {"TRN002"}
    assert silenced(after) == after


def finding_at(path: str, line: int) -> Finding:
    return Finding("TRN520", "deepspeed-config", path, Span(line, 1, line, 2), "It waits.", Severity.WARNING)


def test_settings_in_yaml_get_comments_and_those_in_json_cannot() -> None:
    yaml = source_from_text("accelerate.yaml", "a: 1\nb: 2\n")
    edits = additions(yaml, [finding_at("accelerate.yaml", 2)], "as measured")
    assert apply_edits(yaml.text, edits) == "a: 1\nb: 2  # trainlint: ignore[TRN520] as measured\n"
    json = source_from_text("ds_config.json", '{"a": 1}\n')
    assert additions(json, [finding_at("ds_config.json", 1)], "as measured") == ()
