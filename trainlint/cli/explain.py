"""`trainlint explain RULE`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from trainlint.catalogue import installed_rules
from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.installation.distributions import PackError
from trainlint.naming import did_you_mean, words_for
from trainlint.report.rule_pages.explain import render
from trainlint.report.settings import style_for

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from trainlint.catalogue import InstalledRule


def explain(options: Namespace) -> int:
    """Show the page of one rule. Raises UsageError where there is no such rule."""
    try:
        rule = _find(options.rule, installed_rules(options.plugin)).loaded()
    except PackError as error:
        raise UsageError(*error.sentences) from error
    console.out(render(rule, options.output_format, style=style_for(sys.stdout, options.color)))
    return 0


def _find(word: str, rules: Sequence[InstalledRule]) -> InstalledRule:
    for rule in rules:
        if word.upper() == rule.code or word.lower() == rule.name or word.upper() in rule.aliases:
            return rule
    hint = did_you_mean(word, words_for(rules))
    raise UsageError(f'there is no rule "{word}"{hint or "; `trainlint rules` lists all"}')
