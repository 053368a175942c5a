"""`trainlint rules`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from trainlint.catalogue import installed_rules
from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.installation.distributions import PackError
from trainlint.naming import did_you_mean, rules_called, unknown_rule
from trainlint.report.rule_pages.rules_table import render
from trainlint.report.settings import style_for

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Sequence

    from trainlint.catalogue import InstalledRule

_EVERY_RULE = ("",)
_SAID_OTHERWISE: Mapping[str, tuple[str, ...]] = {
    "oom": ("trn3", "trnp3", "into the memory", "much of each gpu", "whole vocabulary"),
    "leak": ("outlive", "grows", "hold more memory", "keeps its graph"),
    "num_workers": ("worker",),
    "pin_memory": ("pinned",),
    "dataloader": ("loader",),
    "dataloading": ("loader",),
    "tqdm": ("or text",),
    "progress": ("or text",),
    "bar": ("or text",),
    "sync": ("trn2", "trnp2", "wait"),
    "amp": ("mixed precision", "autocast", "float16"),
    "bf16": ("bfloat16", "mixed precision", "16 bits"),
    "fp16": ("float16", "mixed precision", "16 bits"),
    "flash": ("attention",),
    "ddp": ("distributeddataparallel",),
    "gpu": ("device", "cuda"),
    "device": ("gpu",),
    "cpu": ("host",),
    "host": ("cpu",),
    "logging": ("logged", "or text", "printed"),
    "slow": _EVERY_RULE,
    "speed": _EVERY_RULE,
    "performance": _EVERY_RULE,
}
"""By a word in lower case, what else it matches besides itself."""
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
    """The rules in whose code, name or summary all the words stand, in any case, or what they mean there.

    A word that stands in none of them is looked for on the rules' pages. Raises UsageError where there is no rule.
    """
    texts = {rule: f"{rule.code} {rule.name} {rule.name.replace('-', ' ')} {rule.summary}".lower() for rule in rules}
    apart = [word for phrase in words for word in phrase.split()]
    by_word = {word: _saying(word, texts) for word in apart}
    for word in (word for word, saying in by_word.items() if not saying):
        offered = did_you_mean(word, _spoken(texts.values())) or "; `trainlint rules` lists all"
        raise UsageError(f'no rule says "{word}"{offered}')
    found = [rule for rule in rules if all(rule in saying for saying in by_word.values())]
    if not found:
        listed = " and ".join(f'"{word}"' for word in apart)
        raise UsageError(f"no rule says {listed} together; use fewer words")
    return found


def _spoken(texts: Iterable[str]) -> set[str]:
    """The words of some texts."""
    return {part for text in texts for part in text.translate(_NO_MARKS).split() if len(part) > 2}


def _saying(word: str, texts: Mapping[InstalledRule, str]) -> list[InstalledRule]:
    found = [rule for rule, text in texts.items() if _says(text, word)]
    return found or [rule for rule in texts if word.lower() in _page(rule)]


def _page(rule: InstalledRule) -> str:
    """The page of a rule in lower case."""
    return " ".join(body for _, body in rule.loaded().manual.sections).lower()


def _says(text: str, word: str) -> bool:
    """Whether a text in lower case has a word, in any case, or says it otherwise."""
    folded = word.lower()
    return any(each in text for each in (folded, *_SAID_OTHERWISE.get(folded, ())))


def _selected(words: Sequence[str], known: Sequence[InstalledRule]) -> list[InstalledRule]:
    for word in words:
        if not rules_called(word, known):
            raise UsageError(f"--select: {unknown_rule(word, known)}")
    return [rule for rule in known if any(rules_called(word, [rule]) for word in words)]
