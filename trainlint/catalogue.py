"""What is known of every installed rule before it is imported.

Most files need few of the rules, and importing all of them takes ten times as long as Python's own start. So what
rules declare is worked out once, by importing them, and kept as Python keeps bytecode. A rule's class is imported when
a place that it wants to see turns up, or when its page is asked for.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module

from trainlint.finding import Confidence, Heat, Safety, Severity
from trainlint.installation.distributions import PackError
from trainlint.installation.fingerprint import digest, fingerprint, folders, stats_below
from trainlint.installation.kept_texts import keep, kept_texts

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is not imported for types alone: a run over one file is to end at once
    from typing import Any, TypeAlias

    from trainlint.analysis.site import Site
    from trainlint.finding import Finding
    from trainlint.installation.plugins import Plugin
    from trainlint.interpreter.machine.events import Happening
    from trainlint.interpreter.operations import Operation
    from trainlint.rule import Rule, Triggers

    InstalledRule: TypeAlias = "Rule | RuleEntry"
    """A rule that can be asked, imported or known from the catalogue alone."""
    AnyRule: TypeAlias = "type[Rule] | InstalledRule"
    """What declares a rule: for readers of codes, names and severities, its class will do."""

_NAME = "rules"
_beside: list[str] = []
"""Files and folders besides those of installed packs that rules need, as they were found last: modules of other
packages, and plugins."""


@dataclass(frozen=True, eq=False)
class RuleEntry:
    """A rule as the catalogue knows it. Its class is imported when the rule is first asked."""

    code: str
    name: str
    summary: str
    severity: Severity
    fix_safety: Safety | None
    preview: bool
    aliases: tuple[str, ...]
    of_engine: bool
    of_run: bool
    editor_tag: str
    confirmed_by: tuple[str, ...]
    best_in_tests: Confidence
    written_happenings: tuple[str, ...] | None
    """The names of those of `Rule.happenings`."""
    module: str
    attribute: str
    """What the class is called in its module."""
    written_triggers: Mapping[str, Any]
    """In JSON's terms, by their names; those that are not set are left out."""
    plugin: Plugin | None = None
    """What `--plugin` named, where the rule came in by that."""

    @cached_property
    def triggers(self) -> Triggers:
        """Where the rule wants to look."""
        from trainlint.rule import Triggers  # not before a file has places at all

        defaults = Triggers()
        read = {name: type(getattr(defaults, name))(value) for name, value in self.written_triggers.items()}
        return replace(Triggers(**read), heats=frozenset(map(Heat, read.get("heats", ()))))

    @cached_property
    def happenings(self) -> frozenset[Happening] | None:
        """What it is asked about of what the abstract run executes, as `Rule.happenings`."""
        if self.written_happenings is None:
            return None
        from trainlint.interpreter.machine.events import Happening  # not needed where nothing was run

        return frozenset(Happening[name] for name in self.written_happenings)

    def loaded(self) -> type[Rule]:
        """The rule's class, imported now if nobody needed it before."""
        if self.plugin is not None and self.plugin.location:
            from trainlint.installation.plugins import make_importable

            make_importable(self.plugin)  # this may be a worker process, which has not imported it yet
        found: type[Rule] = getattr(import_module(self.module), self.attribute)
        return found

    def check(self, site: Site) -> Iterator[Finding]:
        """Ask the rule about one place that its triggers named."""
        return self._rule.check(site)

    def check_operation(self, site: Site, operation: Operation) -> Iterator[Finding]:
        """Ask the rule about an operation of one of its happenings."""
        return self._rule.check_operation(site, operation)

    @cached_property
    def _rule(self) -> Rule:
        return self.loaded()()


def installed_rules(plugins: Sequence[str] = (), judged: Sequence[str] = ()) -> tuple[RuleEntry, ...]:
    """Every rule of every installed pack and of the `plugins`, which are what `--plugin` names, sorted by code.

    `judged` are the paths that are judged: what is kept about rules is not read from their projects. Raises PackError
    as `trainlint.packs.load_rules` does. While anything is wrong with a pack nothing is kept, so that each run says it.
    Plugins are imported in each run, and nothing of them is kept here.
    """
    rules = _of_installed_packs(judged)
    return _with_plugins(rules, plugins) if plugins else rules


def _of_installed_packs(judged: Sequence[str]) -> tuple[RuleEntry, ...]:
    for text in kept_texts(_NAME, judged):
        with suppress(ValueError, LookupError, TypeError):  # it is whole, but who knows who wrote it
            kept = json.loads(text)
            if kept["fingerprint"] == _fingerprint(kept["beside"]):
                _beside[:] = kept["beside"]
                return tuple(map(_entry_from_json, kept["rules"]))
    return _worked_out(judged)


def _with_plugins(rules: tuple[RuleEntry, ...], plugins: Sequence[str]) -> tuple[RuleEntry, ...]:
    from trainlint.packs import load_plugin

    before = set(sys.modules)
    known = list(rules)
    problems: list[str] = []
    places: list[str] = []
    for named in dict.fromkeys(plugins):
        try:
            plugin, found = load_plugin(named)
        except PackError as error:
            problems += error.sentences
            continue
        places += plugin.places
        new = [replace(_entry_from_json(json.loads(json.dumps(_written(rule)))), plugin=plugin) for rule in found]
        for entry in new:
            problems += _clashes(entry, known)
        known += new
    if problems:
        raise PackError(*problems)
    _beside[:] = sorted({*_beside, *places, *_files_beside(sys.modules.keys() - before)})
    return tuple(sorted(known, key=lambda entry: entry.code))


def _clashes(new: RuleEntry, known: Sequence[RuleEntry]) -> Iterator[str]:
    for other in known:
        for what in ("code", "name"):
            if getattr(new, what) == getattr(other, what):
                yield (
                    f"two rules have the {what} {getattr(new, what)}: {other.module}.{other.attribute} and "
                    f"{new.module}.{new.attribute} of a plugin; rename one of them or leave out the plugin"
                )


def fingerprint_of_rules() -> str:
    """The fingerprint with what `installed_rules` found that rules need besides: what findings depend on."""
    return _fingerprint(_beside)


def _worked_out(judged: Sequence[str]) -> tuple[RuleEntry, ...]:
    from trainlint.packs import load_rules

    before = set(sys.modules)
    described = [_written(rule) for rule in load_rules()]
    _beside[:] = beside = sorted(_files_beside(sys.modules.keys() - before))
    text = json.dumps({"fingerprint": _fingerprint(beside), "beside": beside, "rules": described})
    keep(_NAME, text, judged)
    return tuple(map(_entry_from_json, json.loads(text)["rules"]))


def _fingerprint(beside: list[str]) -> str:
    return digest([fingerprint(), *stats_below(beside)])


def _files_beside(modules: set[str]) -> Iterator[str]:
    """The files of modules that rules need besides Python's own, trainlint and the packs."""
    own = folders()
    below = tuple(f"{folder}{os.sep}" for folder in own)
    for name in modules:
        file = getattr(sys.modules[name], "__file__", None)
        if file and name.partition(".")[0] not in sys.stdlib_module_names:
            if file not in own and not file.startswith(below):
                yield file


def _written(rule: type[Rule]) -> dict[str, Any]:
    """What a rule declares, in JSON's terms, but for the defaults of triggers."""
    triggers = ((name, getattr(rule.triggers, name)) for name in rule.triggers.__match_args__)
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "severity": rule.severity,
        "fix_safety": rule.fix_safety,
        "preview": rule.preview,
        "aliases": rule.aliases,
        "of_engine": rule.of_engine,
        "of_run": rule.of_run,
        "editor_tag": rule.editor_tag,
        "confirmed_by": sorted(symptom.value for symptom in rule.confirmed_by),
        "best_in_tests": rule.best_in_tests.value,
        "written_happenings": None if rule.happenings is None else sorted(item.name for item in rule.happenings),
        "module": rule.module,
        "attribute": next(name for name, value in vars(sys.modules[rule.module]).items() if value is rule),
        "written_triggers": {
            name: sorted(map(_plain, value)) if isinstance(value, frozenset) else value
            for name, value in triggers
            if value
        },
    }


def _plain(value: str | Heat) -> str:
    return value.value if isinstance(value, Heat) else value


def _entry_from_json(facts: dict[str, Any]) -> RuleEntry:
    """The same read back. Raises LookupError, TypeError or ValueError for what is nothing of the kind."""
    safety = facts["fix_safety"]
    read = {
        "severity": Severity(facts["severity"]),
        "fix_safety": None if safety is None else Safety(safety),
        "aliases": tuple(facts["aliases"]),
        "confirmed_by": tuple(facts["confirmed_by"]),
        "best_in_tests": Confidence(facts["best_in_tests"]),
        "written_happenings": None if facts["written_happenings"] is None else tuple(facts["written_happenings"]),
    }
    return RuleEntry(**(facts | read))
