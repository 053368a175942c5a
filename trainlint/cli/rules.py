"""`trainlint rules`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from trainlint.catalogue import installed_rules
from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.installation.distributions import PackError
from trainlint.naming import did_you_mean, rules_called, words_for
from trainlint.report.rule_pages.rules_table import render
from trainlint.report.settings import style_for

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from trainlint.catalogue import InstalledRule

_NO_MARKS = str.maketrans(dict.fromkeys("`()[],.;:=\"'/", " "))


def rules(options: Namespace) -> int:
    """List the rules that pass every filter. Raises UsageError where none does."""
    try:
        known = installed_rules(options.plugin)
    except PackError as error:
        raise UsageError(*error.sentences) from error
    wanted = known if options.select is None else _selected(options.select, known)
    listed = [
        rule
        for rule in _that_say(options.words, wanted)
        if (options.severity is None or rule.severity is options.severity)
        and (rule.fix_safety is not None or not options.fixable)
        and (rule.preview or not options.preview)
    ]
    if not listed:
        raise UsageError("no rule passes all these filters; use fewer")
    console.out(render(listed, options.output_format, style=style_for(sys.stdout, options.color)))
    return 0


def _that_say(words: Sequence[str], rules: Sequence[InstalledRule]) -> Sequence[InstalledRule]:
    """The rules in whose code, name or summary all the words stand, in any case. Raises UsageError for none."""
    texts = {rule: f"{rule.code} {rule.name} {rule.name.replace('-', ' ')} {rule.summary}".lower() for rule in rules}
    for word in words:
        if not any(word.lower() in text for text in texts.values()):
            spoken = {part for text in texts.values() for part in text.translate(_NO_MARKS).split() if len(part) > 2}
            raise UsageError(f'no rule says "{word}"{did_you_mean(word, spoken) or "; `trainlint rules` lists all"}')
    found = [rule for rule, text in texts.items() if all(word.lower() in text for word in words)]
    if not found:
        listed = " and ".join(f'"{word}"' for word in words)
        raise UsageError(f"no rule says {listed} together; use fewer words")
    return found


def _selected(words: Sequence[str], known: Sequence[InstalledRule]) -> list[InstalledRule]:
    for word in words:
        if not rules_called(word, known):
            raise UsageError(f'--select: "{word}" is no rule\'s code or name{did_you_mean(word, words_for(known))}')
    return [rule for rule in known if any(rules_called(word, [rule]) for word in words)]
