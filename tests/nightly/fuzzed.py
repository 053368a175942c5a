"""What must hold of any program, however odd: it is judged without a crash, and its fixes parse, end and stay."""

from __future__ import annotations

import ast
import random
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path, PurePath

from tests.rules.catalogue import all_rules, source
from trainlint.analysis.project.linking import link
from trainlint.analysis.project.summarise import summarise
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.config import Config
from trainlint.engine.judge import Verdicts, judge
from trainlint.finding import Confidence, Safety
from trainlint.fixing import fix_to_fixpoint
from trainlint.fixing.fixpoint import parses
from trainlint.rule import Rule
from trainlint.source import SourceFile

CASES = Path(__file__).parent.parent / "cases"
EVERYTHING = Config(preview=True, min_confidence=Confidence.UNLIKELY)
_MOST_MUTATIONS = 4
Lines = list[str]


@cache
def real_texts() -> tuple[str, ...]:
    """The files that rules are tested on: training code as people write it."""
    return tuple(path.read_text(encoding="utf-8") for path in sorted(CASES.rglob("*.py")))


def faults(text: str) -> list[str]:
    """What trainlint does wrong with a text; nothing where all is well.

    A text that is no Python must be refused as such. Any other is judged by every rule without a failure and linked
    with itself; its fixes lead to a text that parses and that they leave as it is.
    """
    program = source(text)
    verdicts = _judged(program)
    if not parses(program.path, text):
        return [] if [failure.rule for failure in verdicts.failures] == ["TRN001"] else ["not refused as unreadable"]
    found = [failure.reason for failure in verdicts.failures]
    _link_with_itself(program)
    if any(finding.fix for finding in verdicts.findings):
        once = fix_to_fixpoint(program, lambda each: _judged(each).findings, Safety.UNSAFE)
        twice = fix_to_fixpoint(once.source, lambda each: _judged(each).findings, Safety.UNSAFE)
        if not parses(program.path, once.source.text):
            found.append("the fixed text does not parse")
        if twice.source.text != once.source.text:
            found.append("a second run of fixes changes the text")
    return found


def mutated(seed: int) -> str:
    """A real file, changed at a few places or joined with another; the same for the same seed."""
    choice = random.Random(seed)
    lines = choice.choice(real_texts()).splitlines()
    for _ in range(choice.randint(1, _MOST_MUTATIONS)):
        lines = choice.choice(_MUTATIONS)(lines or [""], choice)
    return "\n".join(lines) + choice.choice(["\n", ""])


def parsing(texts: Sequence[str]) -> int:
    """How many texts are Python."""
    return sum(parses("train.py", text) for text in texts)


@cache
def _rules() -> tuple[Rule, ...]:
    return tuple(rule() for rule in all_rules())


def _judged(program: SourceFile) -> Verdicts:
    return judge(program, _rules(), EVERYTHING, known=all_rules())


def _link_with_itself(program: SourceFile) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(program.text)
    summary = summarise(SemanticModel(program, tree, EVERYTHING))
    link([summary, summary], [PurePath("/project/train.py"), PurePath("/project/other.py")])


def _delete(lines: Lines, choice: random.Random) -> Lines:
    place = choice.randrange(len(lines))
    return lines[:place] + lines[place + 1 :]


def _duplicate(lines: Lines, choice: random.Random) -> Lines:
    place = choice.randrange(len(lines))
    return lines[: place + 1] + lines[place:]


def _swap(lines: Lines, choice: random.Random) -> Lines:
    one, other = choice.randrange(len(lines)), choice.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return lines


def _truncate(lines: Lines, choice: random.Random) -> Lines:
    return lines[: choice.randrange(len(lines)) + 1]


def _shift(lines: Lines, choice: random.Random) -> Lines:
    """Indent a block by four more or four fewer."""
    start = choice.randrange(len(lines))
    stop = min(len(lines), start + choice.randint(1, 8))
    more = choice.random() < 0.5
    changed = [f"    {line}" if more else line.removeprefix("    ") for line in lines[start:stop]]
    return lines[:start] + changed + lines[stop:]


def _splice(lines: Lines, choice: random.Random) -> Lines:
    """Put a piece of another file between two lines."""
    other = choice.choice(real_texts()).splitlines()
    start = choice.randrange(len(other))
    place = choice.randrange(len(lines) + 1)
    return lines[:place] + other[start : start + choice.randint(1, 40)] + lines[place:]


def _join_words(lines: Lines, choice: random.Random) -> Lines:
    """Put a name of one line in the place of a name of another."""
    words = [word for line in lines for word in line.replace("(", " ").replace(")", " ").split() if word.isidentifier()]
    if not words:
        return lines
    place = choice.randrange(len(lines))
    lines[place] = lines[place].replace(choice.choice(words), choice.choice(words))
    return lines


def _comment(lines: Lines, choice: random.Random) -> Lines:
    """Break a line behind an opening parenthesis, with a comment there."""
    place = choice.randrange(len(lines))
    before, parenthesis, after = lines[place].partition("(")
    if not parenthesis:
        return lines
    return [*lines[:place], f"{before}(  # why", f"        {after}", *lines[place + 1 :]]


_MUTATIONS: tuple[Callable[[Lines, random.Random], Lines], ...] = (
    _delete,
    _duplicate,
    _swap,
    _truncate,
    _shift,
    _splice,
    _join_words,
    _comment,
)
