"""`trainlint why FILE[:LINE]`."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.types.imported_facts import ALONE
from trainlint.catalogue import installed_rules
from trainlint.cli import console
from trainlint.cli.caching import cache_for
from trainlint.cli.console import UsageError
from trainlint.cli.output import SourcesOnDisk, tell_partial
from trainlint.config import ConfigError
from trainlint.engine.configurations import Configurations, Misconfigured
from trainlint.engine.discover import discover
from trainlint.engine.index.project_files import Member, ProjectFiles
from trainlint.engine.index.project_index import ProjectIndex, build_index
from trainlint.engine.parsing import crash, parse
from trainlint.engine.read import TRAINING_WORDS, read_bytes
from trainlint.engine.why.executed_lines import ExecutedLines, executed_lines
from trainlint.engine.why.explain import explain, rules_to_ask
from trainlint.engine.work import is_looked_at
from trainlint.explanation import Explanation
from trainlint.finding import NOTHING_EXECUTED, Failure
from trainlint.installation.distributions import PackError
from trainlint.paths import exists, is_directory
from trainlint.report.characters import quoted
from trainlint.report.settings import style_for
from trainlint.report.why.text import render
from trainlint.source import SourceFile, UnreadableSource, decode_source
from trainlint.training_settings.files import is_settings

if TYPE_CHECKING:
    from argparse import Namespace

    from trainlint.cache.cache import Cache
    from trainlint.engine.discover import Target

_PLACE = re.compile(r"(?P<path>.+?)(?::(?P<first>\d+)(?:-(?P<last>\d+)|:\d+)?:?)?", re.DOTALL)
"""FILE, FILE:LINE and FILE:FIRST-LAST; FILE:LINE:COLUMN and a last colon too, as reports print them."""
_NOTEBOOK = ".ipynb"
_IN_NOTEBOOK = re.compile(r"(?::(?:cell )?(?P<cell>\d+)(?::(?P<first>\d+)(?:-(?P<last>\d+)|:\d+)?)?:?)?")
"""The same with a cell before the line, as in run.ipynb:3:12, or run.ipynb:cell 3:12:5 as reports print it."""


@dataclass(frozen=True, slots=True)
class Question:
    """Which lines of which file the user asks about."""

    path: str
    first: int | None = None
    """None for the whole file."""
    last: int | None = None
    cell: int | None = None
    """The cell of a notebook that the lines are counted in; without lines, all of it is meant."""

    @property
    def whole_file(self) -> bool:
        """Whether nothing is named but the file."""
        return self.first is None and self.cell is None


def why(options: Namespace) -> int:
    """Answer about some lines of a file. Raises UsageError where there is no answer."""
    question = read_question(options.place)
    target = _target(question.path)
    try:
        rules = installed_rules(options.plugin, [str(target.path)])
        configurations = Configurations(rules, config_file=options.config, isolated=options.isolated)
        explanation = _answer(question, target, configurations, cache_for(options, [target.path]))
    except PackError as error:
        raise UsageError(*error.sentences) from error
    except (ConfigError, Misconfigured) as error:
        raise UsageError(str(error)) from error
    except UnreadableSource as error:
        raise UsageError(f"{quoted(target.shown)}: {error}") from error
    except (RecursionError, MemoryError) as error:
        raise UsageError(f"{quoted(target.shown)}: {crash(error)}") from error
    console.out(
        render(
            explanation,
            options.output_format,
            sources=SourcesOnDisk([target]),
            style=style_for(sys.stdout, options.color),
        )
    )
    return 0


def read_question(words: str) -> Question:
    """What FILE:LINE means. A file whose very name looks like that is meant first. Raises UsageError."""
    if not words:
        raise UsageError("the path is empty; name a file, as in train.py:88")
    before, ending, _ = words.rpartition(_NOTEBOOK)
    in_notebook = _IN_NOTEBOOK.fullmatch(words, len(before) + len(ending)) if before else None
    found = in_notebook or _PLACE.fullmatch(words)
    if found is None or exists(words):
        return Question(words)
    path = before + ending if in_notebook else found["path"]
    cell = int(in_notebook["cell"]) if in_notebook and in_notebook["cell"] else None
    if found["first"] is None:
        return Question(path, cell=cell)
    first = int(found["first"])
    last = int(found["last"] or first)
    if last < first:
        place = path if cell is None else f"{path}:{cell}"
        raise UsageError(f"line {first} comes after line {last}; write {place}:{last}-{first}")
    return Question(path, first, last, cell)


def _target(path: str) -> Target:
    """The file that is named. Raises UsageError where there is none."""
    if is_directory(path):
        raise UsageError(f"{quoted(path)} is a directory; name a file, as in {quoted(str(Path(path) / 'train.py'))}:88")
    discovery = discover([Path(path)])
    for failure in discovery.failures:
        raise UsageError(f"{quoted(failure.path)}: {failure.reason}")
    return discovery.targets[0]


def _answer(question: Question, target: Target, configurations: Configurations, cache: Cache | None) -> Explanation:
    """Raises UsageError for a line that is not there, UnreadableSource and Misconfigured."""
    source = decode_source(target.shown, read_bytes(target.path))
    first, last = _lines(question, source)
    tree = parse(source)
    if isinstance(tree, Failure):
        raise UsageError(f"{quoted(target.shown)}: {tree.reason}")
    selection = configurations.of(target.path.parent)
    rules = rules_to_ask(selection, configurations.rules_for(target.path))
    facts, executed = ALONE, None
    if not is_settings(target.shown):
        member = Member(target.path, target.shown, target.size, selection.config, text=source)
        files = ProjectFiles([member], configurations)
        index = _index(files, cache)
        facts = index.imported_facts.get(target.path, ALONE)
        executed = ExecutedLines(target.shown)  # where nothing updates parameters, nothing is a training step
        if index.may_train:
            executed = executed_lines(index.members, [member], files.shipped)[member.path]
    if not is_looked_at(source, facts):
        words = tuple(word.decode("ascii") for word in TRAINING_WORDS)
        return Explanation(
            target.shown, first, last, question.whole_file, selection.config.min_confidence, missing_words=words
        )
    frequencies = NOTHING_EXECUTED if executed is None else executed.frequencies
    model = SemanticModel(source, tree, selection.config, facts, frequencies)
    return explain(model, rules, first, last, whole_file=question.whole_file, executed=executed)


def _index(files: ProjectFiles, cache: Cache | None) -> ProjectIndex:
    """A file with the other files of its project, as `trainlint check` links them."""
    index = build_index(files, cache=cache)
    if cache is not None:
        cache.save()
    if index.is_partial:
        tell_partial()
    for failure in index.failures:
        console.note(f"trainlint: {quoted(failure.path)}: {failure.reason}")
    return index


def _lines(question: Question, source: SourceFile) -> tuple[int, int]:
    """The first and the last line asked about. Raises UsageError where the file has no such lines."""
    if question.cell is not None:
        return _lines_of_cell(question, question.cell, source)
    count = len(source.line_starts) - (source.line_starts[-1] == len(source.text) and len(source.line_starts) > 1)
    if question.first is None or question.last is None:
        return 1, count
    if not 1 <= question.first <= count:
        lines = "1 line" if count == 1 else f"{count} lines"
        raise UsageError(f"{quoted(source.path)} has {lines}, so there is no line {question.first}")
    return question.first, min(question.last, count)


def _lines_of_cell(question: Question, number: int, source: SourceFile) -> tuple[int, int]:
    cell = source.cell(number)
    begin = source.cells.line_in_text(number, 1) if source.cells else None
    if cell is None or begin is None:
        raise UsageError(f"{quoted(source.path)} has no code cell {number}; text cells count, too")
    first, last = _lines(Question(question.path, question.first, question.last), replace(cell, path=f"cell {number}"))
    return begin + first - 1, begin + last - 1
