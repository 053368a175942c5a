"""The pages of the rules, and the list of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Program


@pytest.mark.parametrize("word", ["TOY101", "toy101", "toy-safe", "Toy-Safe"])
def test_a_rule_is_found_by_code_and_name_in_any_case(toys: Program, word: str) -> None:
    result = toys("explain", word)
    assert result.code == 0
    assert "TOY101" in result.out
    assert "A test says so." in result.out
    assert "\x1b[" not in result.out


def test_a_page_as_markdown_and_json(toys: Program) -> None:
    assert toys("explain", "TOY103", "--output-format", "markdown").out.startswith("# toy-unsafe (TOY103)")
    page = json.loads(toys("explain", "TOY103", "--output-format", "json").out)
    assert (page["code"], page["name"], page["fix"]) == ("TOY103", "toy-unsafe", "unsafe")


def test_an_unknown_rule_is_answered_with_the_nearest(toys: Program) -> None:
    result = toys("explain", "toy-save")
    assert result.code == 2
    assert 'did you mean "toy-safe"' in result.err
    assert "`trainlint rules` lists all" in toys("explain", "qqqq").err


def test_digits_that_look_like_letters_are_understood(program: Program) -> None:
    assert 'did you mean "TRN201"?' in program("explain", "TRN2O1").err
    assert 'did you mean "TRN213"?' in program("check", "--select", "TRN2l3").err


def test_of_codes_that_are_equally_close_the_one_of_the_same_topic_is_offered(program: Program) -> None:
    assert 'did you mean "TRN2' in program("explain", "TRN222").err


def test_the_beginning_of_codes_lists_ten_of_them(program: Program) -> None:
    listed = program("explain", "TRN2")
    assert (listed.code, listed.out) == (2, "")
    lines = listed.err.splitlines()
    assert lines[0] == "trainlint: TRN2 stands for 12 rules; name one:"
    assert lines[1] == "  TRN201 item-in-training-step"
    assert lines[11:] == ["  and 2 more: `trainlint rules --select TRN2` lists all"]


def test_several_rules_are_explained(toys: Program) -> None:
    said = toys("explain", "TOY103", "toy-safe")
    assert said.code == 0
    assert said.out.index("TOY103") < said.out.index("TOY101")
    pages = json.loads(toys("explain", "TOY103", "toy-safe", "--output-format", "json").out)
    assert [page["code"] for page in pages] == ["TOY103", "TOY101"]


@pytest.mark.parametrize(
    ("words", "some"),
    [
        ("oom", {"TRN304", "TRNP304"}),
        ("leak", {"TRN304", "TRNP304"}),
        ("num_workers", {"TRN101", "TRN103"}),
        ("tqdm", {"TRN203"}),
        ("slow dataloader", {"TRN101", "TRN102", "TRNP101"}),
    ],
)
def test_rules_are_found_by_what_people_call_their_subject(program: Program, words: str, some: set[str]) -> None:
    found = set(codes(program, *words.split()))
    assert some <= found
    assert "TRN201" not in found


def test_waits_and_copies_are_found_by_all_their_names(program: Program) -> None:
    assert {"TRN201", "TRN203", "TRN205", "TRNP201"} <= set(codes(program, "sync"))
    assert {"TRN202", "TRN205"} <= set(codes(program, "host")) & set(codes(program, "cpu"))


def codes(program: Program, *arguments: str) -> list[str]:
    result = program("rules", "--output-format", "json", *arguments)
    assert result.code == 0
    data = json.loads(result.out)
    return [rule["code"] for rule in (data["rules"] if isinstance(data, dict) else data)]


def test_rules_are_listed_and_filtered(toys: Program) -> None:
    assert codes(toys, "--select", "TOY") == ["TOY101", "TOY102", "TOY103", "TOY201"]
    assert codes(toys, "--select", "toy-safe,TOY2") == ["TOY101", "TOY201"]
    assert codes(toys, "--select", "TOY", "--fixable") == ["TOY101", "TOY102", "TOY103"]
    assert codes(toys, "--select", "TOY", "--severity", "error") == ["TOY103", "TOY201"]
    assert {"TRN001", "TRN002", "TRN003"} <= set(codes(toys))
    table = toys("rules", "--select", "TOY1").out
    assert "TOY101" in table
    assert "toy-safe" in table
    assert "TOY201" not in table
    assert "fix at best" in table
    assert "Fixes are safe or unsafe by place; the list has the best level." in " ".join(table.split())
    assert "(--fix); unsafe at places where that is not proved" in " ".join(toys("explain", "TOY101").out.split())


def test_what_only_a_run_shows_says_who_finds_it(toys: Program) -> None:
    [line] = [line for line in toys("rules", "--select", "TRNP101").out.splitlines() if "TRNP101" in line]
    assert line.split() == ["TRNP101", "loader-starvation", "warning", "none", "probe"]
    assert "| warning, probe |" in toys("rules", "--select", "TRNP101", "--output-format", "markdown").out
    page = toys("explain", "loader-starvation")
    assert "Found by trainlint probe: only a run shows it" in page.out
    [as_data] = json.loads(toys("rules", "--select", "TRNP101", "--output-format", "json").out)
    assert as_data["found_by"] == "probe"
    assert json.loads(toys("explain", "TOY103", "--output-format", "json").out)["found_by"] == "check"


def test_rules_are_found_by_words(toys: Program) -> None:
    assert codes(toys, "toy", "safe", "--select", "TOY") == ["TOY101", "TOY103"]
    assert codes(toys, "PINNED", "memory") == ["TRN102"]
    assert codes(toys, "pinned memory") == ["TRN102"]
    assert codes(toys, "axolotl") == ["TRN521"], "no summary says it, but a page does"
    unknown = toys("rules", "memmory")
    assert (unknown.code, unknown.err) == (2, 'trainlint: no rule says "memmory"; did you mean "memory"?\n')
    nothing = toys("rules", "qqqq")
    assert (nothing.code, nothing.err) == (2, 'trainlint: no rule says "qqqq"; `trainlint rules` lists all\n')
    apart = toys("rules", "pinned", "optimizer")
    assert (apart.code, apart.err) == (
        2,
        'trainlint: no rule says "pinned" and "optimizer" together; use fewer words\n',
    )


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("check", "--output-format", "sarf"), "sarif"),
        (("check", "--fail-on", "warnin"), "warning"),
        (("check", "--fail-on", "confirmd"), "confirmed"),
        (("check", "--min-confidence", "liekly"), "likely"),
        (("check", "--color", "neve"), "never"),
        (("check", "--statstics"), "--statistics"),
        (("check", "--fial-on=error"), "--fail-on"),
        (("rules", "--severity", "eror"), "error"),
        (("explain", "TRN201", "--output-format", "markdwn"), "markdown"),
        (("basline",), "baseline"),
    ],
)
def test_what_is_misspelt_is_answered_with_the_nearest(
    program: Program, arguments: tuple[str, ...], meant: str
) -> None:
    result = program(*arguments)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert f'did you mean "{meant}"?' in result.err
