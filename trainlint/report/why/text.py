"""`trainlint why` for people at a terminal: the line, what is known of it, what each rule made of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.explanation import Explanation, Hiding, Line, Look, Verdict
from trainlint.report.characters import json_without_commands, quoted, sentence, without_commands
from trainlint.report.why.silent_lines import silent_lines
from trainlint.report.why.value_words import heat_words, value_words
from trainlint.report.words import line_name, place_text

if TYPE_CHECKING:
    from rich.text import Text

    from trainlint.report.settings import Sources, Style

FORMATS = ("text", "json")
"""What `--output-format` of `trainlint why` may be."""

_LABEL = 12
"""Columns of the labels left of the facts."""
_INDENT = "    "
_OFF = {
    Hiding.PREVIEW: "a preview rule, which runs with --preview only",
    Hiding.NOT_SELECTED: "not selected by the configuration",
}


def render(explanation: Explanation, output_format: str, *, sources: Sources, style: Style) -> str:
    """The answer in one of FORMATS. Raises ValueError for any other format."""
    if output_format == "json":
        from trainlint.report.why import json as why_json

        return json_without_commands(why_json.render(explanation, sources))
    if output_format == "text":
        from trainlint.report.terminal import as_written

        return without_commands(as_written(_lines(explanation, style), style))
    raise ValueError(f"unknown output format {output_format!r}; choose one of {', '.join(FORMATS)}")


def _lines(explanation: Explanation, style: Style) -> Iterator[Text]:
    from rich.text import Text

    in_cells = (len(_label(line)) for line in explanation.lines if line.cell is not None)
    digits = max(in_cells, default=len(str(explanation.last)))
    told: Line | None = None
    for index, line in enumerate(explanation.lines):
        if index:
            yield Text()
        yield from _code(line, digits, style)
        same = told is not None and (told.heat, told.function) == (line.heat, line.function)
        yield from _context(line, told if same else None, style)
        yield from _values(line, style)
        for look in line.looks:
            if look.verdicts or look.failure:
                yield Text()
                yield from _look(explanation, line, look, style)
        yield from _parts(line, style)
        yield from silent_lines(line.looks, style)
        if not same and line.heat is not None and line.body is None:
            told = line
    yield from _end(explanation, style)


def _code(line: Line, digits: int, style: Style) -> Iterator[Text]:
    from rich.text import Text

    from trainlint.report.frame import code_width, ellipsis, gutter, row

    code = row(line.text, style).cropped(code_width(style, digits), ellipsis(style))
    yield Text.assemble((gutter(_label(line), digits, style), "bright_blue"), (code, "bold"))


def _label(line: Line) -> str:
    return str(line.number) if line.cell is None else f"{line.cell}:{line.number}"


def _context(line: Line, told: Line | None, style: Style) -> Iterator[Text]:
    """How often it runs, function and autograd; in short where they are those of a line that was told of before."""
    if line.body is not None:
        yield from _fact("body:", heat_words(line.body), style)
    if line.heat is None:
        if not line.looks:
            yield from _fact("", "no code begins on this line", style)
    elif line.body is None or line.body.heat is not line.heat.heat:
        inside = f"in {line.function}: " if line.function and told is None else ""
        again = f", as {line_name(told.number, told.cell)}" if told is not None and line.heat.chain else ""
        yield from _fact("when:", inside + heat_words(line.heat, chain=not again) + again, style)
    if line.gradients_off:
        yield from _fact("autograd:", f"off ({line.gradients_reason})", style)


def _values(line: Line, style: Style) -> Iterator[Text]:
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    label = "values:"
    for fact in line.values:
        name = sentence(fact.text, unicode=style.unicode)
        words = sentence(value_words(fact.value), unicode=style.unicode)
        text = Text.assemble((f"  {label:<{_LABEL - 2}}", "dim"), (name, "cyan"), " is ", words)
        yield from wrapped(text, style, indent=" " * (_LABEL + 2))
        label = ""
    if line.unknown:
        yield from _fact(label, f"nothing is known of {', '.join(line.unknown)}", style)


def _fact(label: str, words: str, style: Style) -> Iterator[Text]:
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    line = Text.assemble((f"  {label:<{_LABEL - 2}}", "dim"), sentence(words, unicode=style.unicode))
    yield from wrapped(line, style, indent=" " * _LABEL)


def _look(explanation: Explanation, line: Line, look: Look, style: Style) -> Iterator[Text]:
    """A rule that found something, or crashed."""
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    state, accent = _state(look)
    heading = Text.assemble("  ", (look.code, "bold"), f" {look.name} ", (state, accent))
    heading.append(sentence(f" `{look.text}`", unicode=style.unicode))
    yield from wrapped(heading, style, indent=_INDENT)
    if look.off is not None:
        yield from _wrapped_sentence(f"It does not run here: it is {_OFF[look.off]}.", style)
    for verdict in look.verdicts:
        yield from _verdict(explanation, line, verdict, style)
    if look.failure:
        yield from _wrapped_sentence(look.failure, style)


def _parts(line: Line, style: Style) -> Iterator[Text]:
    """As in "Belongs to TRN205 blocking-batch-copy at train.py:10:13: copies another part of the same batch"."""
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    for part in line.part_of:
        finding = part.finding
        at = place_text(finding.path, finding.span.start_line, finding.span.start_column, finding.cell)
        words = Text.assemble("  Belongs to ", (finding.code, "bold"), f" {finding.name} at {at}")
        words.append(sentence(f": {part.message}", unicode=style.unicode))
        yield Text()
        yield from wrapped(words, style, indent=_INDENT)


def _state(look: Look) -> tuple[str, str]:
    if look.failure:
        return "crashed on", "bold red"
    shown = any(not verdict.hidden for verdict in look.verdicts)
    return ("reports", "bold yellow") if shown else ("would report", "bold cyan")


def _verdict(explanation: Explanation, line: Line, verdict: Verdict, style: Style) -> Iterator[Text]:
    finding = verdict.finding
    at = (finding.span.start_line, finding.cell)
    elsewhere = f" (at {line_name(*at)})" if at != (line.number, line.cell) else ""
    yield from _wrapped_sentence(finding.message + elsewhere, style)
    if finding.help:
        yield from _wrapped_sentence(f"help: {finding.help}", style)
    reasons = []
    for hidden in verdict.hidden:
        if hidden.by is Hiding.COMMENT:
            reasons.append(f"the comment at {line_name(hidden.line or 0, hidden.cell)} silences it")
        elif hidden.by is Hiding.LOW_CONFIDENCE:
            reasons.append(f"that is below min-confidence, {explanation.min_confidence.label}")
    shown = "shown by `trainlint check`"
    if verdict.hidden:
        shown = f"not shown: {'; '.join(reasons) or 'the rule does not run here'}"
    yield from _wrapped_sentence(f"{finding.severity.label}, {finding.confidence.label}; {shown}", style)


def _wrapped_sentence(words: str, style: Style, *, indent: str = _INDENT) -> Iterator[Text]:
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    yield from wrapped(Text(indent + sentence(words, unicode=style.unicode)), style, indent=indent)


def _end(explanation: Explanation, style: Style) -> Iterator[Text]:
    """What there is to say where no rule looks at any of the lines."""
    from rich.text import Text

    if any(line.looks or line.part_of for line in explanation.lines):
        return
    if explanation.lines:
        yield Text()
    if explanation.missing_words:
        *most, last = (f'"{word}"' for word in explanation.missing_words)
        words = f"{', '.join(most)} nor {last}" if most else last
        lacking = f"it holds neither {words}, and imports no package built on PyTorch"
        yield from _sentence(f"No rule looks at {quoted(explanation.path)}: {lacking}.", style)
        return
    several = "the file" if explanation.whole_file else "these lines"
    lines = "this line" if explanation.first == explanation.last and not explanation.whole_file else several
    yield from _sentence(f"No rule looks at {lines}.", style)
    if explanation.nearby:
        yield Text("Nearest findings:")
    elif not explanation.whole_file:
        yield Text("The file has no finding that `trainlint check` shows.")
    for finding in explanation.nearby:
        at = finding.span.start_line if finding.cell is None else line_name(finding.span.start_line, finding.cell)
        yield from _wrapped_sentence(
            f"{quoted(explanation.path)}:{at}  {finding.code} {finding.name}", style, indent="  "
        )


def _sentence(words: str, style: Style) -> Iterator[Text]:
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    yield from wrapped(Text(sentence(words, unicode=style.unicode)), style)
