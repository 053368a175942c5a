"""One file, all rules: parse, look at the places the rules named, suppress what the user ignores."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from trainlint.config import Config
from trainlint.finding import Failure, Finding
from trainlint.model.blocks import Place
from trainlint.model.outline import Outline
from trainlint.model.outside import ALONE, Outside
from trainlint.model.site import FileModel, Site
from trainlint.rule import Rule, Triggers
from trainlint.settings_files import is_settings, settings_tree
from trainlint.source import SourceFile
from trainlint.suppress import suppress

UNREADABLE = "TRN001"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What judging one file gave. Findings are in their stable order."""

    findings: tuple[Finding, ...]
    failures: tuple[Failure, ...] = ()
    suppressed: int = 0


def judge(
    source: SourceFile,
    rules: Sequence[Rule],
    config: Config,
    known: Sequence[type[Rule]] | None = None,
    *,
    outside: Outside = ALONE,
    model: FileModel | None = None,
) -> Verdicts:
    """Run rules over one file. What a file or a rule does wrong becomes a Failure; nothing is raised.

    `known` are all installed rules, for telling an ignored code that does not exist from one that did not run.
    `outside` is what other files say of this one; `model` is its model, where it has been made already.
    """
    if model is not None:
        return _judged(source, rules, config, known, model)
    tree = parse(source)
    if isinstance(tree, Failure):
        return Verdicts((), (tree,))
    model = FileModel(source, tree, config, outside)
    try:
        return _judged(source, rules, config, known, model)
    finally:
        model.let_go()


def _judged(
    source: SourceFile,
    rules: Sequence[Rule],
    config: Config,
    known: Sequence[type[Rule]] | None,
    model: FileModel,
) -> Verdicts:
    findings: list[Finding] = []
    failures: list[Failure] = []
    for rule in rules:
        try:
            findings.extend(_findings(rule, model))
        except Exception as error:  # noqa: BLE001  # a rule's crash must cost neither the file nor other rules
            failures.append(Failure(source.path, _why_crashed(rule, error), rule.code))
    crashed = {failure.rule for failure in failures}
    ran = [rule for rule in rules if rule.code not in crashed]
    kept = suppress(source, sorted(set(findings), key=lambda item: item.order), ran, known)
    shown = (item for item in kept.findings if item.confidence >= config.min_confidence)
    return Verdicts(tuple(sorted(shown, key=lambda item: item.order)), tuple(failures), kept.suppressed)


def parse(source: SourceFile) -> ast.Module | Failure:
    """The tree of a file, or why there is none."""
    if is_settings(source.path):
        try:
            return settings_tree(source)
        except ValueError as error:
            return Failure(source.path, str(error), UNREADABLE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in the user's strings are the user's compiler's matter
            return ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Failure(source.path, _why_unparsable(source, error), UNREADABLE)


def _findings(rule: Rule, model: FileModel) -> Iterator[Finding]:
    for place in places(rule.triggers, model):
        yield from rule.check(Site(model, place))


def places(triggers: Triggers, model: FileModel) -> Iterator[Place]:
    """The places a rule wants to see, each once."""
    outline = model.outline
    if triggers.calls_of_readers:
        yield from model.calls_of_readers
    for name in sorted(triggers.calls):
        yield from outline.calls.get(name, ())
    for name in sorted(triggers.assignments):
        yield from outline.stores.get(name, ())
    if triggers.dicts:
        yield from (place for key in sorted(triggers.dicts) for place in outline.dicts.get(key, ()))
    if triggers.references:
        yield from _references(triggers.references, outline)
    for wanted, found in (
        (triggers.reads, outline.reads),
        (triggers.subscripts, outline.subscripts),
        (triggers.accumulations, outline.accumulations),
        (triggers.loops, outline.loops),
    ):
        if wanted:
            yield from found


def _references(prefixes: Iterable[str], outline: Outline) -> Iterator[Place]:
    """Uses of names below the prefixes, and the import statements that bring them in."""
    wanted = frozenset(prefixes)
    above = tuple(f"{prefix}." for prefix in wanted)  # one call for all: a rule over a table names a hundred
    for place in outline.import_statements:
        if isinstance(place.node, ast.ImportFrom) and place.node.module is not None and place.node.level == 0:
            names = (f"{place.node.module}.{alias.name}" for alias in place.node.names)
            if any(name in wanted or name.startswith(above) for name in names):
                yield place
    for place in outline.references:
        origin = outline.origin(place.node)
        if origin is not None and (origin in wanted or origin.startswith(above)):
            yield place


def _why_unparsable(source: SourceFile, error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        line = error.lineno or 0
        reason = f"line {line}: it is no Python that this interpreter reads ({error.msg})"
        if _looks_like_python_2(source.line(line)):
            return f"{reason}; it looks like Python 2, which trainlint does not judge: exclude it"
        return f"{reason}; correct it, exclude it, or run trainlint with the Python version it is written for"
    if isinstance(error, RecursionError | MemoryError):
        return "it is nested too deeply to be parsed; exclude it"
    return f"it cannot be parsed ({error}); exclude it or correct it"


def _looks_like_python_2(line: str) -> bool:
    words = line.split()
    return bool(words) and (
        words[0] in ("print", "exec") or (words[0] in ("except", "raise") and "," in line) or "<>" in line
    )


def _why_crashed(rule: Rule, error: Exception) -> str:
    where = type(rule).__module__
    crash = f"{type(error).__name__}: {error}"
    return f"the rule {rule.code} ({where}) failed on this file: {crash}; please report it with the file"
