"""The handbook: a rule's page as Markdown and as plain data, and tables of all rules.

A page is made from what the rule declares and from its docstring; nothing is written twice.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from trainlint.finding import Safety

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is not imported for types alone: a run over one file is to end at once
    from typing import Any

    from trainlint.catalogue import AnyRule
    from trainlint.naming import Named
    from trainlint.rule import Rule

OWN_PREFIX = "TRN"
"""Codes with this prefix are trainlint's own; other packs document their rules at places of their own."""

HOME = "https://github.com/trainlint/trainlint"
"""The repository. `pyproject.toml`, `mkdocs.yml` and other files that cannot import it are held to it by a test."""

RULE_PAGES = f"{HOME}/blob/main/docs/rules"
"""Where the generated pages of trainlint's own rules can be read."""

FIX_FLAGS = {
    Safety.SAFE: "--fix",
    Safety.NUMERICS: "--fix --numeric-fixes",
    Safety.UNSAFE: "--fix --unsafe-fixes",
}
"""The words on the command line that apply fixes up to each level. Without `--fix` nothing is written."""

_FIX_MEANINGS = {
    Safety.SAFE: "safe, training stays bit-identical",
    Safety.NUMERICS: "numerics, the same mathematics, other rounding, order or random stream",
    Safety.UNSAFE: "unsafe, changes what is computed or how processes are laid out",
}


def docs_url(rule: Named) -> str | None:
    """Where the page of a rule, or of a finding's rule, can be read; None for a rule of another pack."""
    return f"{RULE_PAGES}/{rule.name}.md" if rule.code.startswith(OWN_PREFIX) else None


def topic(rule: type[Rule]) -> str:
    """The folder of the pack in which the rule stands, as in "sync"."""
    return rule.__module__.split(".")[-2] if "." in rule.__module__ else rule.__module__


def topic_title(rule: type[Rule]) -> str:
    """The first sentence of that folder's docstring, or the folder's name."""
    package = sys.modules.get(rule.__module__.rpartition(".")[0])
    first_line = ((package and package.__doc__) or "").strip().partition("\n")[0].rstrip(".")
    return first_line or topic(rule)


_BY_PLACE = "; unsafe at places where that is not proved"


def fix_label(rule: AnyRule) -> str:
    """The level of the rule's fix at best, in one word; "none" where the rule is advice in words."""
    return rule.fix_safety.label if rule.fix_safety else "none"


def state_label(rule: AnyRule) -> str:
    """In one word, when the rule is not simply on: "preview", or "probe" for what only a run shows."""
    return "probe" if rule.of_run else "preview" if rule.preview else ""


def facts(rule: type[Rule]) -> tuple[str, ...]:
    """What the rule declares, each in a few words of Markdown: severity, fix level, preview, old codes."""
    lines = [f"Severity: {rule.severity.label}"]
    if rule.of_run:
        lines.append("Found by `trainlint probe`: only a run shows it")
    if rule.fix_safety:
        by_place = _BY_PLACE if rule.fix_safety < Safety.UNSAFE else ""
        lines.append(f"Fix: {_FIX_MEANINGS[rule.fix_safety]} (`{FIX_FLAGS[rule.fix_safety]}`){by_place}")
    else:
        lines.append("Fix: none, advice in words")
    if rule.preview:
        lines.append("Preview: on with `--preview`")
    if rule.aliases:
        lines.append("Also silenced as " + ", ".join(f"`{alias}`" for alias in rule.aliases))
    return tuple(lines)


def sections(rule: type[Rule]) -> tuple[tuple[str, str], ...]:
    """The page's headings and bodies in Markdown."""
    return rule.manual.sections


def page_markdown(rule: type[Rule]) -> str:
    """The rule's whole page in Markdown, with one line feed at its end."""
    parts = [f"# {rule.name} ({rule.code})", " · ".join(facts(rule)), rule.summary + "."]
    if rule.manual.introduction:
        parts.append(rule.manual.introduction)
    for heading, body in sections(rule):
        parts += [f"## {heading}", body]
    return "\n\n".join(parts) + "\n"


def page_data(rule: type[Rule]) -> dict[str, Any]:
    """The rule's whole page as data that JSON can hold."""
    return {
        "code": rule.code,
        "name": rule.name,
        "topic": topic(rule),
        "summary": rule.summary,
        "severity": rule.severity.label,
        "fix": rule.fix_safety.label if rule.fix_safety else None,
        "preview": rule.preview,
        "found_by": "probe" if rule.of_run else "check",
        "aliases": list(rule.aliases),
        "introduction": rule.manual.introduction,
        "sections": [{"heading": heading, "markdown": body} for heading, body in sections(rule)],
        "example": rule.manual.example,
        "use_instead": rule.manual.cure,
        "url": docs_url(rule),
    }


def rules_table(rules: Sequence[AnyRule], *, pages: str = RULE_PAGES) -> str:
    """A Markdown table of rules, each linked to its page below the address or folder `pages`."""
    rows = ["| code | name | flags | severity | fix | probe |", "| --- | --- | --- | --- | --- | --- |"]
    for rule in rules:
        link = f"[{rule.name}]({pages}/{rule.name}.md)" if docs_url(rule) else rule.name
        severity = ", ".join(filter(None, (rule.severity.label, state_label(rule))))
        measured = "yes" if rule.of_run or rule.confirmed_by else "" if rule.of_engine else "no"
        cells = (rule.code, link, rule.summary, severity, fix_label(rule), measured)
        rows.append("| " + " | ".join(map(_cell, cells)) + " |")
    return "\n".join(rows) + "\n"


def by_topic(rules: Iterable[type[Rule]]) -> dict[str, list[type[Rule]]]:
    """Rules under the title of their topic; topics and rules in the order of their codes."""
    topics: dict[str, list[type[Rule]]] = {}
    for rule in sorted(rules, key=lambda rule: rule.code):
        topics.setdefault(topic_title(rule), []).append(rule)
    return topics


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
