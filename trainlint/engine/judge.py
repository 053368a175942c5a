"""One file, all rules: parse, look at the places the rules named, suppress what the user ignores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from trainlint.analysis.semantic_model import EarlierFacts, SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.types.imported_facts import ALONE, ImportedFacts
from trainlint.config import Config
from trainlint.engine.executed import answers_to, executed_sites
from trainlint.engine.parsing import parse
from trainlint.engine.places import places_by_rule, runs_in_step
from trainlint.engine.time_limit import TookTooLong
from trainlint.finding import NOTHING_EXECUTED, Failure, Finding, Frequencies
from trainlint.suppress import suppress
from trainlint.suppress.hint import may_hold_directives

if TYPE_CHECKING:
    from trainlint.analysis.syntax.blocks import Place
    from trainlint.catalogue import AnyRule, InstalledRule
    from trainlint.interpreter.operations import Operation
    from trainlint.source import SourceFile


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What judging one file gave. Findings are in their stable order."""

    findings: tuple[Finding, ...]
    failures: tuple[Failure, ...] = ()
    suppressed: int = 0
    in_step: bool = False
    """Whether any code of the file runs in each training step."""


def judge(
    source: SourceFile,
    rules: Sequence[InstalledRule],
    config: Config,
    known: Sequence[AnyRule] | None = None,
    *,
    outside: ImportedFacts = ALONE,
    model: SemanticModel | None = None,
    remains: EarlierFacts | None = None,
    operations: tuple[Operation, ...] = (),
    frequencies: Frequencies = NOTHING_EXECUTED,
) -> Verdicts:
    """Run rules over one file. What a file or a rule does wrong becomes a Failure; nothing is raised.

    `known` are all installed rules, for telling an ignored code that does not exist from one that did not run.
    `outside` is what other files say of this one, and `frequencies` say how often its statements are executed; `model`
    is its model with both, where it has been made already, or `remains` what is left of that. `operations` are what the
    abstract run of the project executes in the file's training steps: rules with happenings are asked about these
    alone.
    """
    if model is not None:
        return _judged(source, rules, config, known, model, operations)
    tree = parse(source)
    if isinstance(tree, Failure):
        return Verdicts((), (tree,))
    model = SemanticModel(source, tree, config, outside, frequencies)
    if remains is not None:
        model.recall(remains)
    try:
        return _judged(source, rules, config, known, model, operations)
    finally:
        model.release()


def _judged(
    source: SourceFile,
    rules: Sequence[InstalledRule],
    config: Config,
    known: Sequence[AnyRule] | None,
    model: SemanticModel,
    operations: tuple[Operation, ...],
) -> Verdicts:
    findings: list[Finding] = []
    failures: list[Failure] = []
    may_show = _may_show(source, config, model.outside)
    for rule, answers in _answers(rules, model, may_show, operations):
        try:
            for answer in answers:
                findings.extend(answer)
        except TookTooLong as error:
            error.during = f"the rule {rule.code}"
            raise
        except Exception as error:  # noqa: BLE001  # a rule's crash must cost neither the file nor other rules
            failures.append(Failure(source.path, _why_crashed(rule, error), rule.code))
    crashed = {failure.rule for failure in failures}
    ran = [rule for rule in rules if rule.code not in crashed]
    in_order = sorted(set(findings), key=lambda item: item.order)
    elsewhere, leaving = model.outside.ignored_at, model.frequencies.leading_out
    kept = suppress(source, in_order, ran, known, model.tree, elsewhere=elsewhere, leaving=leaving)
    shown = (item for item in kept.findings if item.confidence >= config.min_confidence)
    listed = tuple(sorted(shown, key=lambda item: item.order))
    return Verdicts(listed, tuple(failures), kept.suppressed, runs_in_step(model))


def _answers(
    rules: Sequence[InstalledRule],
    model: SemanticModel,
    may_show: Callable[[InstalledRule], bool],
    operations: tuple[Operation, ...],
) -> Iterator[tuple[InstalledRule, Iterator[Iterable[Finding]]]]:
    """What each rule says of its places, or of what the abstract run executed."""
    by_place = [rule for rule in rules if rule.happenings is None]
    for rule, places in zip(by_place, places_by_rule(by_place, model, may_show=may_show), strict=True):
        yield rule, _answers_at(rule, places, model)
    executed = executed_sites(model, () if model.is_of_other_framework else operations)
    for rule in rules:
        if rule.happenings is not None:
            yield rule, answers_to(rule, executed)


def _answers_at(rule: InstalledRule, places: Iterable[Place], model: SemanticModel) -> Iterator[Iterable[Finding]]:
    for place in places:
        yield rule.check(Site(model, place))


def _may_show(source: SourceFile, config: Config, outside: ImportedFacts) -> Callable[[InstalledRule], bool]:
    """Whether a rule may show something in a file: in tests, findings of most rules are too unsure for that.

    Where ignore comments stand, each rule may: a comment that silences a doubtful finding is not unused.
    """

    @cache
    def hides_doubts() -> bool:
        from trainlint.analysis.programs.test_files import is_test_path  # most files have no place for a rule

        return is_test_path(source.path) and not outside.ignored_at and not may_hold_directives(source.text)

    return lambda rule: rule.best_in_tests >= config.min_confidence or not hides_doubts()


def _why_crashed(rule: InstalledRule, error: Exception) -> str:
    where = rule.module
    if isinstance(error, RecursionError):
        return (
            f"its code is nested too deeply for the rule {rule.code} ({where}); split the expression, ignore the rule, "
            "or exclude the file"
        )
    crash = f"{type(error).__name__}: {error}"
    return f"the rule {rule.code} ({where}) failed on this file: {crash}; please report it with the file"
