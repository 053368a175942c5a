"""Rules whose pattern is an expression of `libcst.matchers`: places, facts, words, and what they cost."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import libcst as cst
import libcst.matchers as m
import pytest
from hypothesis import given
from hypothesis import strategies as st
from libcst.metadata import QualifiedNameProvider

from tests.analysis.facts import file_model
from tests.chosen_cases import on_each_file
from tests.engine.counted_work import Work, counted
from tests.rules.catalogue import DEFAULT, judged, source
from tests.toy_rules import PAGE
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.every_place import every_place
from trainlint.catalogue import _entry_from_json, _written
from trainlint.contract.bases import CallRule
from trainlint.contract.cst_file import KINDS, cst_file
from trainlint.contract.cst_rule import Captured, CstRule, origin
from trainlint.contract.cst_words import needed_words, words_of
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.contract.guard import guard
from trainlint.engine.judge import judge
from trainlint.engine.places import places_by_rule
from trainlint.finding import Failure, Heat, Safety
from trainlint.rule import BadRule, Rule, Triggers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TRAIN = """\
import torch
from torch import solve as s

def train(model, loader, optimizer):
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        {}
"""


@guard
def ready(site: Site) -> bool:
    """The call tests whether it is ready."""
    return bool(site.conditions)


class Solve(CstRule):
    __doc__ = PAGE
    code = "ACME301"
    name = "toy-solve"
    pattern = m.Call(origin("torch.solve"), [m.Arg(m.SaveMatchedNode(m.DoNotCare(), "right")), m.DoNotCare()])
    message = "`{right}` is solved for{often}"
    help = "use `torch.linalg.solve`"
    fix_title = "Use torch.linalg.solve"
    fix_safety = Safety.SAFE

    def replacement(self, node: cst.Call, match: Match) -> cst.Call | None:
        """The arguments in the other order."""
        right, left = (argument.value for argument in node.args)
        return node.with_changes(func=cst.parse_expression("torch.linalg.solve"), args=[cst.Arg(left), cst.Arg(right)])


class SolveInStep(Solve):
    __doc__ = PAGE
    code = "ACME302"
    name = "toy-solve-in-step"
    when = EACH_STEP
    unless = (ready,)


def messages(code: str, rule: type[Rule] = Solve) -> list[str]:
    return [finding.message for finding in judged(TRAIN.format(code), rule).findings]


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("torch.solve(b, a)", True),
        ("s(b, a)", True),
        ("y = [f(s(b, a)) for a in A]", True),
        ("print(f'{s(b, a)} é {s(b, a)}')", True),
        ("scipy.solve(b, a)", False),
        ("solve(b, a)", False),
        ("s(b)", False),
    ],
)
def test_an_origin_is_what_the_file_imports(code: str, *, seen: bool) -> None:
    assert bool(messages(code)) == seen


def test_what_the_file_gives_another_meaning_is_not_that_origin() -> None:
    assert judged("import torch\ndef f(torch):\n    return torch.solve(b, a)\n", Solve).findings == ()


def test_a_message_quotes_captured_parts_and_knows_how_often_the_place_runs() -> None:
    assert messages("torch.solve(b .  T, a)") == ["`b . T` is solved for in every training step"]


@pytest.mark.parametrize(("code", "seen"), [("s(b, a)", True), ("if ok(): s(b, a)", False)])
def test_frequency_and_conditions_are_those_of_the_place(code: str, *, seen: bool) -> None:
    assert bool(messages(code, SolveInStep)) == seen
    assert judged("import torch\ntorch.solve(b, a)\n", SolveInStep).findings == ()


class OfTensors(Solve):
    __doc__ = PAGE
    code = "ACME303"
    name = "toy-solve-of-tensors"

    def found(self, site: Site) -> Match | None:
        """Only where the captured part is a tensor."""
        right = self.captured(site)["right"]
        assert isinstance(right, Captured)
        assert right.site is not None
        is_tensor = isinstance(right.site.node, ast.expr) and right.site.value(right.site.node).is_tensor
        return Match(site, fields={"right": right}) if is_tensor else None


def test_a_captured_part_has_a_value() -> None:
    assert messages("y = loss.sum(); s(y, a)", OfTensors)
    assert not messages("y = 3; s(y, a)", OfTensors)


def fixed(text: str, rule: type[Rule] = Solve) -> list[str]:
    """The text after the fix of each finding; as it was where there is none."""
    after = []
    for finding in judged(text, rule).findings:
        edits = finding.fix.edits if finding.fix else ()
        for edit in sorted(edits, reverse=True):
            text = text[: edit.start] + edit.text + text[edit.stop :]
        after.append(text)
    return after


def test_a_replacement_stands_where_the_node_stood() -> None:
    assert fixed("import torch\nif é:\n    x = -torch.solve(b,  a).T  # so\n") == [
        "import torch\nif é:\n    x = -torch.linalg.solve(a, b).T  # so\n"
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_tabs_and_form_feeds_do_not_move_the_place(newline: str) -> None:
    before = ["import torch", "\f", "if 'é':", "\tx = [", "\t\ttorch.solve(b, a),", "\t]", ""]
    after = [line.replace("torch.solve(b, a)", "torch.linalg.solve(a, b)") for line in before]
    assert fixed(newline.join(before)) == [newline.join(after)]


def test_there_is_no_fix_inside_an_f_string_and_none_that_would_lose_a_comment() -> None:
    text = "import torch\nprint(f'{torch.solve(b, a)}')\n"
    assert fixed(text) == [text]
    text = "import torch\ntorch.solve(\n    b,  # right\n    a,\n)\n"
    assert fixed(text) == [text]


class Statement(CstRule):
    __doc__ = PAGE
    code = "ACME304"
    name = "toy-statement"
    pattern = m.Assert(m.Name("checked"))
    message = "checks"
    help = "pass"
    fix_title = "Pass"
    fix_safety = Safety.SAFE
    instead: ClassVar[cst.BaseExpression | cst.BaseSmallStatement] = cst.Pass()

    def replacement(self, node: cst.Assert, match: Match) -> cst.BaseExpression | cst.BaseSmallStatement:
        """What the test says."""
        return self.instead


class OfWrongKind(Statement):
    __doc__ = PAGE
    code = "ACME305"
    name = "toy-of-wrong-kind"
    instead = cst.Name("checked")


def test_a_simple_statement_is_replaced_by_one_and_by_nothing_else() -> None:
    text = "import torch\nif a: x = 1; assert checked  # so\n"
    assert fixed(text, Statement) == ["import torch\nif a: x = 1; pass  # so\n"]
    assert fixed(text, OfWrongKind) == [text]


class ByMetadata(Solve):
    __doc__ = PAGE
    code = "ACME306"
    name = "toy-by-metadata"
    pattern = m.Call(
        m.Name("chosen", metadata=m.MatchMetadataIfTrue(QualifiedNameProvider, lambda names: bool(names))),
        [m.Arg(m.SaveMatchedNode(m.DoNotCare(), "right")), m.DoNotCare()],
    )


def test_metadata_of_libcst_works_in_patterns() -> None:
    assert messages("chosen = f; chosen(b, a)", ByMetadata)
    assert not messages("chosen(b, a)", ByMetadata)


@on_each_file
def test_every_expression_and_statement_has_its_libcst_node(path: Path) -> None:
    model = file_model(path.read_text(encoding="utf-8"))
    kinds = {name for kind, names in KINDS.items() for name in names or (kind,)}
    seen = cst_file(model)
    missing = [
        place.node
        for place in every_place(model.outline)
        if type(place.node).__name__ in kinds and place.node not in seen.node_of
    ]
    assert all(ast.unparse(node) in LACKING or _is_piece(node, model.tree) for node in missing)
    assert len(set(seen.node_of.values())) == len(seen.node_of)


LACKING = frozenset({"()"})


def _is_piece(node: ast.AST, tree: ast.Module) -> bool:
    """Whether a node is the index of a subscript or the text of an f-string, for which LibCST has other nodes."""
    around = [outer for outer in ast.walk(tree) if node in ast.iter_child_nodes(outer)]
    return isinstance(around[0], ast.Subscript | ast.JoinedStr | ast.FormattedValue)


def test_code_that_libcst_cannot_parse_is_a_failure_of_the_rule() -> None:
    (failure,) = judged("import torch\ntorch.solve(b, a" + ".b()" * 300 + ")\n", Solve).failures
    assert failure.rule == "ACME301"
    assert re.search("LibCST cannot .*nested too deeply", failure.reason)


def test_such_a_rule_is_not_asked_about_settings() -> None:
    text = "train_micro_batch_size_per_gpu: 8\nnote: torch solve\n"
    verdicts = judged(text, Solve, path="deepspeed.yaml")
    assert (verdicts.findings, verdicts.failures) == ((), ())


# The words that a file must hold


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (m.Call(m.Attribute(attr=m.Name("solve"))), {"solve"}),
        (m.Call(m.Name("solve") | m.Name("lu")), {"solve", "lu"}),
        (m.Call(m.Attribute(m.Name("a") | m.Name("b"), m.Name("c"))), {"a c", "b c"}),
        (m.Call(origin("torch.solve", "torch.lu")), {"torch solve", "lu torch"}),
        (m.Call(args=[m.AtLeastN(m.Arg(m.Name("a")), n=1), m.AtMostN(m.Arg(m.Name("b")), n=1)]), {"a"}),
        (m.Call(m.SaveMatchedNode(m.Name("a"), "f"), [~m.Arg(m.Name("b"))]), {"a"}),
        (m.Name("a") & m.Name(m.MatchRegex("a")), {"a"}),
        (m.SimpleString("'cuda:0'"), {"cuda"}),
        (m.Call() | m.Name("a"), set()),
        (m.Name(m.MatchIfTrue(str.isupper)), set()),
    ],
)
def test_a_pattern_tells_the_words_that_a_file_must_hold(pattern: Any, words: set[str]) -> None:
    assert needed_words(pattern) == {" ".join(sorted(entry.split())) for entry in words}


NAMES = ("a", "b", "c")
names = st.sampled_from(NAMES).map(m.Name)


def _if_allowed(combine: Callable[..., Any], *matchers: Any) -> Any:
    """LibCST refuses some combinations."""
    try:
        return combine(*matchers)
    except ValueError:
        return matchers[0]


def _larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    arguments = st.lists(
        st.one_of(
            inner.map(m.Arg),
            st.just(m.DoNotCare()),
            st.builds(m.AtLeastN, inner.map(m.Arg), n=st.integers(0, 1)),
            st.builds(m.AtMostN, inner.map(m.Arg), n=st.integers(0, 1)),
        ),
        max_size=2,
    )
    return st.one_of(
        st.builds(m.Attribute, inner, names),
        st.builds(m.Call, inner, arguments),
        st.builds(_if_allowed, st.just(m.OneOf), inner, inner),
        st.builds(_if_allowed, st.just(m.AllOf), inner, inner),
        inner.map(lambda matcher: m.SaveMatchedNode(matcher, "part")),
        st.builds(_if_allowed, st.just(m.DoesNotMatch), inner),
    )


@given(
    st.recursive(names, _larger, max_leaves=6),
    st.recursive(
        st.sampled_from(NAMES), lambda code: st.builds("{}.{}({})".format, code, st.sampled_from(NAMES), code)
    ),
)
def test_what_a_pattern_matches_holds_its_words(pattern: Any, code: str) -> None:
    words = needed_words(pattern)
    if m.matches(cst.parse_expression(code), pattern):
        assert not words or any(set(entry.split()) <= words_of(code) for entry in words)


EXCEPT = m.Try(handlers=[m.AtLeastN(m.ExceptHandler(type=m.BooleanOperation()), n=1)])
WITH_EXAMPLE = PAGE.replace("None.", "```python\na.c\n```", 1)


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ({"pattern": m.Arg(m.Name("a"))}, "the kind Arg, which is no expression or statement"),
        ({"pattern": m.MatchIfTrue(bool)}, "does not say which kind of node"),
        ({"pattern": EXCEPT}, "names no word; declare in `words`"),
        ({"pattern": EXCEPT, "words": ("a, b",)}, "the entry 'a, b'; write identifiers"),
        ({"pattern": EXCEPT, "words": ("",)}, "the entry ''; write identifiers"),
        ({"pattern": m.Name("b"), "__doc__": WITH_EXAMPLE}, "its example holds none of the words .*: b"),
        ({"pattern": m.Name("b"), "also": Triggers(loops=True)}, "`also` has no effect"),
        ({"pattern": m.Name("b"), "replacement": Solve.replacement}, "so it needs `fix_title` and `fix_safety`"),
    ],
)
def test_a_rule_that_could_not_work_is_refused(declared: Mapping[str, Any], problem: str) -> None:
    body = {"__doc__": PAGE, "code": "ACME309", "name": "toy-refused", "message": "", "help": "", **declared}
    with pytest.raises(BadRule, match=problem):
        type("Refused", (CstRule,), body)


class OrInExcept(CstRule):
    __doc__ = PAGE
    code = "ACME307"
    name = "toy-or-in-except"
    pattern = EXCEPT
    words = ("except",)
    message = "only the first class is caught"
    help = "write a tuple"


def test_words_may_be_declared_where_the_pattern_names_none() -> None:
    (finding,) = judged("import torch\ntry: f()\nexcept A or B: pass\n", OrInExcept).findings
    assert (finding.span.start_line, finding.heat) == (2, Heat.ONCE)


# What it costs


class ByName(CallRule):
    __doc__ = PAGE
    code = "ACME308"
    name = "toy-by-name"
    on = ("torch.solve",)
    when = EACH_STEP
    message = ""
    help = ""

    def found(self, site: Site) -> Match | None:
        """All of them."""
        return Match(site)


def work(code: str, *rules: type[Rule]) -> Work:
    """What one more file costs."""
    text, asked = source(TRAIN.replace(" solve ", " lu ").format(code)), [rule() for rule in rules]
    return counted(lambda: judge(text, asked, DEFAULT, known=()))


def test_where_no_word_stands_such_a_rule_costs_no_more_than_another() -> None:
    mine, other = work("pass", *[SolveInStep] * 20), work("pass", *[ByName] * 20)
    assert mine.total <= other.total + 5, (mine.total, other.total)


@pytest.mark.parametrize("code", ["pass", "resolved = unsolved(loss)"])
def test_where_no_word_stands_libcst_does_nothing(code: str) -> None:
    assert not [code for code in work(code, Solve).calls if "/libcst/" in Path(code.co_filename).as_posix()]


def test_libcst_parses_a_file_once_for_all_such_rules() -> None:
    seen = work("torch.solve(b, a)", Solve, SolveInStep, OfTensors)
    assert [len(text) > 100 for text in seen.parsed(cst.parse_module).elements()] == [True]


def test_frequency_is_asked_for_only_where_a_word_stands() -> None:
    model = file_model(TRAIN.replace(" solve ", " lu ").format("pass"))
    (places,) = places_by_rule([SolveInStep()], model)
    assert list(places) == []
    assert "heats" not in vars(model)


def test_the_catalogue_knows_the_words_and_imports_the_rule_only_where_they_stand() -> None:
    entry = replace(_entry_from_json(json.loads(json.dumps(_written(Solve)))), module="nowhere")
    assert entry.triggers == Solve.triggers

    def failures(code: str) -> tuple[Failure, ...]:
        return judge(source(TRAIN.replace(" solve ", " lu ").format(code)), (entry,), DEFAULT, known=()).failures

    assert failures("unsolved()") == ()
    assert [failure.rule for failure in failures("solve()")] == ["ACME301"]
