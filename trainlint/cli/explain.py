"""`trainlint explain RULE [RULE ...]`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from trainlint.catalogue import installed_rules
from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.handbook import page_data
from trainlint.installation.distributions import PackError
from trainlint.naming import did_you_mean, rules_called, words_for
from trainlint.report.rule_pages.explain import render
from trainlint.report.settings import style_for
from trainlint.report.words import count
from trainlint.retired import retired_notes, successors

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from trainlint.catalogue import InstalledRule

_MOST_LISTED = 10


def explain(options: Namespace) -> int:
    """Show the pages of rules, in the order named. Raises UsageError where there is no such rule."""
    try:
        known = installed_rules(options.plugin)
        rules = [rule.loaded() for word in dict.fromkeys(options.rules) for rule in _find(word, known)]
    except PackError as error:
        raise UsageError(*error.sentences) from error
    style = style_for(sys.stdout, options.color)
    if options.output_format == "json" and len(rules) > 1:
        console.out(json.dumps(list(map(page_data, rules)), indent=2) + "\n")
    else:
        console.out("\n".join(render(rule, options.output_format, style=style) for rule in rules))
    return 0


def _find(word: str, rules: Sequence[InstalledRule]) -> Sequence[InstalledRule]:
    """The rule of that code or name; where it is retired, those that tell now what it told, and a note."""
    for rule in rules:
        if word.upper() == rule.code or word.lower() == rule.name or word.upper() in rule.aliases:
            return [rule]
    for note in retired_notes([word]):
        if not successors(word):
            raise UsageError(note)
        console.note(f"note: {note}")
        return rules_called(word, rules)
    if begun := rules_called(word, rules):
        shown = [f"  {rule.code} {rule.name}" for rule in begun[:_MOST_LISTED]]
        more = len(begun) - _MOST_LISTED
        rest = [f"  and {more} more: `trainlint rules --select {word}` lists all"] if more > 0 else []
        raise UsageError(f"{word} stands for {count(len(begun), 'rule')}; name one:", *shown, *rest)
    hint = did_you_mean(word, words_for(rules))
    raise UsageError(f'there is no rule "{word}"{hint or "; `trainlint rules` lists all"}')
