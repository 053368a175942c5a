"""Finds the rules: those of installed packs, by the entry point group `trainlint.rules`, and those of plugins.

trainlint's own pack and others are found alike. An entry point names a package, as in

    [project.entry-points."trainlint.rules"]
    my_rules = "my_rules"

and each concrete Rule subclass in the package's modules, at any depth, is a rule. No list is kept anywhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

from trainlint.installation import distributions
from trainlint.installation.distributions import PackError
from trainlint.installation.plugins import Plugin, find_plugin, make_importable
from trainlint.rule import BadRule, Rule

__all__ = ["PackError", "load_plugin", "load_rules"]


def load_rules() -> tuple[type[Rule], ...]:
    """Every rule of every installed pack, sorted by code.

    Raises PackError when no pack is installed, a pack or one of its modules does not load, a pack holds no rule,
    or two rules share a code or a name. Rules are never left out in silence.
    """
    problems: list[str] = []
    rules: dict[type[Rule], str] = {}
    # Two distributions may give their entry points one name.
    packs = tuple(dict.fromkeys(distributions.find_packs()))
    if not packs:
        problems.append(
            f"no rule pack is installed: no distribution declares an entry point in the group {distributions.GROUP!r}; "
            "install trainlint again"
        )
    for pack, target in packs:
        known = len(problems)
        found = list(_rules_of(pack, target, problems))
        if not found and len(problems) == known:
            problems.append(f"rule pack {pack!r} ({target}) holds no rule; uninstall it or give it one")
        rules.update(dict.fromkeys(found, pack))
    problems += _clashes(rules)
    if problems:
        raise PackError(*problems)
    return tuple(sorted(rules, key=lambda rule: rule.code))


def load_plugin(named: str) -> tuple[Plugin, tuple[type[Rule], ...]]:
    """What `--plugin` names, and its rules, which are imported now. Raises PackError where anything is wrong."""
    plugin = find_plugin(named)
    if plugin.location:
        make_importable(plugin)
    problems: list[str] = []
    rules = tuple(dict.fromkeys(_rules_of(named, plugin.module, problems)))
    if not rules and not problems:
        problems.append(f"--plugin {named}: it holds no rule")
    if problems:
        raise PackError(*problems)
    return plugin, rules


def _rules_of(pack: str, target: str, problems: list[str]) -> Iterator[type[Rule]]:
    if not all(part.isidentifier() for part in target.split(".")):
        problems.append(f"rule pack {pack!r} does not load: its entry point {target!r} must name a package alone")
        return
    for module in _modules(pack, target, problems):
        for value in vars(module).values():
            # A class belongs to the module that defines it, not to those that import it. One with a page of its own
            # is a rule; abstract classes and those marked `base=True` have none.
            # (To Python 3.10 `tuple[int, int]` is a class, too, one of the module that `tuple` stands in.)
            if inspect.isclass(value) and value.__module__ == module.__name__ and issubclass(value, Rule):
                if "manual" in vars(value):
                    yield value


def _modules(pack: str, name: str, problems: list[str]) -> Iterator[ModuleType]:
    """A module and all below it. What does not import becomes a problem, and the rest is walked on."""
    try:
        module = import_module(name)
    except BadRule as error:
        problems.append(f"rule pack {pack!r}, module {name}: {error}")
        return
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a pack's module may raise anything; it is reported
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        problems.append(f"rule pack {pack!r}: module {name} does not import ({reason}); mend or uninstall the pack")
        return
    yield module
    folders: Iterable[str] = getattr(module, "__path__", ())
    for folder in folders:
        problems += _lost_folders(pack, Path(folder))
    for below in sorted(iter_modules(folders), key=lambda found: found.name):
        yield from _modules(pack, f"{name}.{below.name}", problems)


def _lost_folders(pack: str, folder: Path) -> Iterator[str]:
    """Folders of modules that Python does not see as packages, so that their rules would be missing."""
    if folder.is_dir():
        for child in sorted(folder.iterdir()):
            if child.is_dir() and not (child / "__init__.py").is_file() and any(child.glob("*.py")):
                yield f"rule pack {pack!r}: {child} holds modules but no __init__.py, so its rules are lost; add one"


def _clashes(rules: dict[type[Rule], str]) -> Iterator[str]:
    for attribute in ("code", "name"):
        owners: dict[str, type[Rule]] = {}
        for rule, pack in rules.items():
            label: str = getattr(rule, attribute)
            first = owners.setdefault(label, rule)
            if first is not rule:
                yield (
                    f"two rules have the {attribute} {label}: {_place(first)} of pack {rules[first]!r} and "
                    f"{_place(rule)} of pack {pack!r}; rename one of them or uninstall a pack"
                )


def _place(rule: type[Rule]) -> str:
    return f"{rule.__module__}.{rule.__qualname__}"
