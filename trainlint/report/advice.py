"""The list of `trainlint advise`: for terminals, as Markdown for a pull request, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.advising.out_of_memory import OutOfMemory, describe, steps
from trainlint.report.characters import quoted, sentence
from trainlint.report.settings import Style

if TYPE_CHECKING:
    from rich.text import Text

    from trainlint.advising.item import Item

FORMATS = ("text", "markdown", "json")
SCHEMA_VERSION = 1
_MOST_PLACES = 3


@dataclass(frozen=True, slots=True)
class Advice:
    """What is to be shown."""

    items: tuple[Item, ...]
    """The first thing to do first."""
    run: str | None
    """The run that was measured; None where there is no evidence."""
    planned: bool


def render(advice: Advice, output_format: str, style: Style) -> str:
    """The list in one of FORMATS."""
    if output_format == "json":
        return _json(advice)
    if output_format == "markdown":
        return "\n".join(_markdown(advice)) + "\n"
    from trainlint.report.terminal import as_written

    return as_written(_lines(advice, style), style)


def how_to_measure(advice: Advice) -> str | None:
    """How evidence is got, where there is none."""
    if advice.run is not None or not advice.items:
        return None
    return (
        "No run of this code was measured: `trainlint probe --output-format json -o evidence.json SCRIPT ARGUMENTS` "
        "runs your training for a few steps, and `trainlint advise --evidence evidence.json` then ranks by what it "
        "cost."
    )


def render_out_of_memory(found: OutOfMemory, output_format: str, style: Style) -> str:
    """What a message says, and what to try."""
    listed = steps(found)
    if output_format == "json":
        data = {
            "schema_version": SCHEMA_VERSION,
            "tried": found.tried,
            "capacity": found.capacity,
            "allocated": found.allocated,
            "unused": found.unused,
            "free": found.free,
            "elsewhere": found.elsewhere,
            "summary": describe(found),
            "steps": list(listed),
        }
        return json.dumps(data, indent=2) + "\n"
    if output_format == "markdown":
        return "\n".join([describe(found), "", *(f"{number}. {step}" for number, step in enumerate(listed, 1))]) + "\n"
    from trainlint.report.terminal import as_written

    return as_written(_lines_of_message(found, style), style)


def _lines_of_message(found: OutOfMemory, style: Style) -> Iterator[Text]:
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    yield from wrapped(Text(describe(found), "bold"), style)
    yield Text()
    for number, step in enumerate(steps(found), 1):
        yield from wrapped(Text(f"{number}. {step}"), style, indent="   ")


def _lines(advice: Advice, style: Style) -> Iterator[Text]:
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    if not advice.items:
        yield Text("There is nothing to advise: no rule found anything.", "green")
    for number, item in enumerate(advice.items, 1):
        title = Text.assemble(f"{number}. ", (sentence(item.title, unicode=style.unicode), "bold"))
        title.append(f"  {item.key}" if ":" not in item.key else "", "cyan")
        yield from wrapped(title, style, indent="   ")
        notes = [
            ("gain:", f"{item.gain.words} ({item.gain.basis.words})"),
            ("do:", item.help),
            ("after:", ", ".join(item.after)),
            ("where:", _places(item)),
            ("effort:", item.effort),
            ("apply:", item.command or ""),
            ("changes:", item.changes),
            ("check:", item.check),
        ]
        for label, words in notes:
            if words:
                line = Text.assemble(f"   {label:<9}", sentence(words, unicode=style.unicode))
                yield from wrapped(line, style, indent=" " * 12)
        yield Text()
    if hint := how_to_measure(advice):
        yield from wrapped(Text(hint), style)


def _places(item: Item) -> str:
    shown = ", ".join(map(quoted, item.places[:_MOST_PLACES]))
    more = len(item.places) - _MOST_PLACES
    return f"{shown} and {more} more" if more > 0 else shown


def _markdown(advice: Advice) -> Iterator[str]:
    yield "## What to do first"
    yield ""
    if not advice.items:
        yield "Nothing: no rule found anything."
    for number, item in enumerate(advice.items, 1):
        code = "" if ":" in item.key else f" ({item.key})"
        yield f"{number}. **{_escaped(item.title)}**{code}: {_escaped(item.help)}"
        yield f"   - gain: {_escaped(item.gain.words)} ({item.gain.basis.words})"
        if item.places:
            yield f"   - where: {', '.join(f'`{place}`' for place in item.places[:_MOST_PLACES])}" + (
                f" and {len(item.places) - _MOST_PLACES} more" if len(item.places) > _MOST_PLACES else ""
            )
        yield f"   - effort: {item.effort}" + (f": `{item.command}`" if item.command else "")
        yield f"   - changes: {_escaped(item.changes)}"
        yield f"   - check afterwards: {_escaped(item.check)}"
    if hint := how_to_measure(advice):
        yield ""
        yield hint


def _escaped(text: str) -> str:
    """Text in which only code spans keep their meaning: titles and helps come from rules, places from files."""
    return text.replace("<", "&lt;").replace("*", "\\*")


def _json(advice: Advice) -> str:
    data = {
        "schema_version": SCHEMA_VERSION,
        "measured": advice.run,
        "how_to_measure": how_to_measure(advice),
        "items": [
            {
                "key": item.key,
                "title": item.title,
                "do": item.help,
                "places": list(item.places),
                "gain": {
                    "basis": item.gain.basis.words,
                    "words": item.gain.words,
                    "low": item.gain.low,
                    "high": item.gain.high,
                },
                "wrong_results": item.wrong,
                "effort": item.effort,
                "command": item.command,
                "changes": item.changes,
                "check": item.check,
                "after": list(item.after),
            }
            for item in advice.items
        ],
    }
    return json.dumps(data, indent=2) + "\n"
