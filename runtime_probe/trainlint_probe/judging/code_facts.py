"""What the code alone tells of the files that claims are about: each file is read and analysed once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.types.imported_facts import ALONE, ImportedFacts
from trainlint.engine.configurations import Configurations, Misconfigured
from trainlint.engine.index.project_files import Member, ProjectFiles
from trainlint.engine.index.project_index import ProjectIndex, build_index
from trainlint.engine.parsing import crash, parse
from trainlint.engine.read import read_bytes
from trainlint.engine.why.executed_lines import ExecutedLines, executed_lines
from trainlint.engine.why.explain import explain, rules_to_ask
from trainlint.engine.work import is_looked_at
from trainlint.explanation import Line
from trainlint.finding import Failure
from trainlint.paths import absolute, shown_path
from trainlint.source import SourceFile, UnreadableSource, decode_source
from trainlint_probe.judging.spans import Span, spans_of


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """What is known of one file."""

    real: str
    """Its path with all links followed: what runs are compared by."""
    fault: str = ""
    """Why nothing is known of it, in a clause; empty where it could be read."""
    count: int = 0
    """How many lines it has."""
    spans: Mapping[int, Span] = field(default_factory=dict)
    lines: Mapping[int, Line] = field(default_factory=dict)
    """Those that were asked about, and all of their statements."""


def code_facts(wanted: Mapping[str, Iterable[int]], configurations: Configurations) -> dict[str, CodeFacts]:
    """The facts of each file, by the path that claims name; `wanted` names the lines of each."""
    read: dict[str, tuple[Member, SourceFile]] = {}
    facts: dict[str, CodeFacts] = {}
    here = Path.cwd()
    for path in wanted:
        place = absolute(Path(path))
        try:
            shown, size = shown_path(place, here), place.stat().st_size
            source = decode_source(shown, read_bytes(place))
            if source.cells is None:
                config = configurations.of(place.parent).config
                read[path] = Member(place, shown, size, config, text=source), source
            else:
                fault = "it is a notebook: `trainlint why FILE:CELL:LINE` tells of its lines"
                facts[path] = CodeFacts(path, fault=fault)
        except (OSError, UnreadableSource, ValueError) as error:
            facts[path] = CodeFacts(path, fault=_words(error))
        except Misconfigured as error:
            facts[path] = CodeFacts(path, fault=str(error))
    members = [member for member, _ in read.values()]
    files = ProjectFiles(members, configurations)
    index = build_index(files) if members else ProjectIndex()
    executed = executed_lines(index.members, members, files.shipped) if index.may_train else {}
    for path, (member, source) in read.items():
        linked = index.imported_facts.get(member.path, ALONE)
        lines = executed.get(member.path, ExecutedLines(member.shown))
        try:
            facts[path] = _facts(member.path, source, linked, lines, wanted[path], configurations)
        except (RecursionError, MemoryError) as error:
            facts[path] = CodeFacts(path, fault=crash(error))
    return facts


def _facts(
    path: Path,
    source: SourceFile,
    linked: ImportedFacts,
    executed: ExecutedLines,
    wanted: Iterable[int],
    configurations: Configurations,
) -> CodeFacts:
    real = os.path.realpath(path)
    count = len(source.line_starts) - (source.line_starts[-1] == len(source.text) and len(source.line_starts) > 1)
    tree = parse(source)
    if isinstance(tree, Failure):
        return CodeFacts(real, _without_advice(tree.reason), count)
    spans = spans_of(tree)
    asked = [span for number in set(wanted) if (span := spans.get(number)) is not None]
    if not asked or not is_looked_at(source, linked):
        return CodeFacts(real, "", count, spans)
    selection = configurations.of(path.parent)
    rules = rules_to_ask(selection, configurations.rules_for(path))
    model = SemanticModel(source, tree, selection.config, linked, executed.frequencies)
    first, last = min(span.first for span in asked), max(span.last for span in asked)
    told = explain(model, rules, first, last, executed=executed)
    return CodeFacts(real, "", count, spans, {line.number: line for line in told.lines})


def _words(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "it is a directory"
    if isinstance(error, OSError):
        return f"it cannot be read ({error.strerror or error})"
    return _without_advice(str(error))


def _without_advice(reason: str) -> str:
    """What is wrong with a file, without what may be done where a check fails by it."""
    return reason.partition("; ")[0]
