"""Which settings hold for a directory: the nearest file upward, and what the command line puts over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from trainlint.config.kinds import RULES
from trainlint.config.raw import (
    PYPROJECT_TOML,
    TRAINLINT_TOML,
    ConfigError,
    parse_config,
    read_bytes,
)
from trainlint.config.selection import check_words
from trainlint.config.settings import Config, Overrides
from trainlint.config.stated_torch import find_target_torch
from trainlint.naming import covers, rules_called
from trainlint.paths import absolute, shown_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from trainlint.catalogue import InstalledRule


def resolve(
    directory: Path,
    overrides: Overrides,
    rules: Sequence[InstalledRule],
    *,
    config_file: Path | None = None,
    isolated: bool = False,
) -> Config:
    """The settings for the files of a directory.

    They come from `config_file`, else from the nearest trainlint.toml or pyproject.toml with [tool.trainlint] in the
    directory or above it (in one directory trainlint.toml wins). `isolated` reads no file at all. What `overrides`
    sets goes over it. Raises ConfigError with file, line, key and nearest known name.
    """
    found = None if isolated else _named(config_file, rules) if config_file else _nearest(directory, rules)
    config = found or Config(root=str(absolute(directory)))
    if config.target_torch is None and not isolated:
        target = find_target_torch(directory)
        config = replace(config, target_torch=target.versions, notes=target.notes)
    return _overridden(config, overrides, rules)


def _named(path: Path, rules: Sequence[InstalledRule]) -> Config:
    data = read_bytes(path, named=True)
    if data is None:
        raise ConfigError(
            f"{shown_here(path)}: there is no such configuration file; correct the path given to --config"
        )
    config = _checked(path, data, tuple(rules))
    if config is None:
        raise ConfigError(f"{shown_here(path)}:1: the file has no table [tool.trainlint]; add it, or name another file")
    return config


def _nearest(directory: Path, rules: Sequence[InstalledRule]) -> Config | None:
    start = absolute(directory)
    for place in (start, *start.parents):
        for path in (place / TRAINLINT_TOML, place / PYPROJECT_TOML):
            data = read_bytes(path)
            if data is not None and (config := _checked(path, data, tuple(rules))):
                return config
    return None


@lru_cache(maxsize=64)
def _checked(path: Path, data: bytes, rules: tuple[InstalledRule, ...]) -> Config | None:
    """The settings in one file's bytes. A file is often the nearest one to many directories."""
    raw = parse_config(path, data)
    if raw is None:
        return None
    from trainlint.config.reading import config_from  # with every check of a value

    return config_from(raw, rules)


def _overridden(config: Config, overrides: Overrides, rules: Sequence[InstalledRule]) -> Config:
    """The command line over the file: each option replaces the file's value or adds to it, as its row says."""
    for key in Config.keys:
        if key.kind is RULES:
            check_words(overrides.get(key.field, ()), rules, where=key.flag)
    config = _yielding(config, overrides, rules)
    adding = {key.field for key in Config.keys if key.option and key.option.adds}
    values: dict[str, Any] = {
        field: (*getattr(config, field), *value) if field in adding else value for field, value in overrides.items()
    }
    return replace(config, **values)


def _yielding(config: Config, overrides: Overrides, rules: Sequence[InstalledRule]) -> Config:
    """The file's settings without the words about rules that give way to the command line.

    --select replaces the file's whole selection. What is selected there is run though the file ignores it in the same
    words, and what is ignored there stays off though the file selects it, or a part of it.
    """
    chosen = {_code(word, rules) for field in ("select", "extend_select") for word in overrides.get(field, ())}
    ignored = [_code(word, rules) for word in overrides.get("ignore", ())]

    def still_selected(words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(word for word in words if not any(covers(wide, _code(word, rules)) for wide in ignored))

    return replace(
        config,
        select=still_selected(config.select),
        extend_select=() if "select" in overrides else still_selected(config.extend_select),
        ignore=tuple(word for word in config.ignore if _code(word, rules) not in chosen),
    )


def _code(word: str, rules: Sequence[InstalledRule]) -> str:
    """The code for a rule's name; other words as they stand, in capitals."""
    named = [rule.code for rule in rules_called(word, rules) if rule.name == word.lower()]
    return named[0] if named else word.upper()
