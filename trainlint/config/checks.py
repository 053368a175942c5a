"""Checks of the values of a configuration file, one function for each kind of value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trainlint.config.globs import check_glob, check_number_of_globs
from trainlint.config.torch_range import TorchRange, parse_torch_range
from trainlint.finding import Severity
from trainlint.naming import did_you_mean, rules_called, unknown_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from trainlint.config.raw import RawConfig
    from trainlint.declared import Known

Key = tuple[str | int, ...]
_REMOVED = {
    "cache-dir": "a repository cannot say where the cache lies: use --cache-dir or TRAINLINT_CACHE_DIR",
    "rules": "rules no longer have options: delete the table (`device-memory` of TRN509 is now always 80 GB)",
}
"""Keys of earlier versions, with what to do instead."""
_SEVERITIES = {severity.label: severity for severity in Severity}


def refuse(raw: RawConfig, key: Key, wanted: str, value: object) -> NoReturn:
    """Raise ConfigError: the value of `key` is not what is `wanted`."""
    raise raw.error(key, f"`{raw.dotted(*key)}` must be {wanted}, not {_shown(value)}")


def check_known(raw: RawConfig, key: Key, choices: Iterable[str], *, where: str) -> None:
    """Raise ConfigError unless the last part of the key is one of the choices."""
    known = tuple(choices)
    name = str(key[-1])
    if name in known:
        return
    if len(key) == 1 and name in _REMOVED:
        hint = f"; {_REMOVED[name]}"
    elif name == "tool" and not raw.table:
        hint = "; in trainlint.toml the keys stand at the top, without [tool.trainlint]"
    else:
        hint = did_you_mean(name, known) or (f"; known are {', '.join(known)}" if known else "; it has none")
    raise raw.error(key, f'unknown key "{name}" in {where}{hint}')


def strings(raw: RawConfig, key: Key, value: object) -> tuple[str, ...]:
    """A list of texts, none of them empty."""
    if not isinstance(value, list):
        refuse(raw, key, "a list of texts", value)
    for index, item in enumerate(value):
        if not isinstance(item, str) or not item:
            refuse(raw, (*key, index), "a text that is not empty", item)
    return tuple(value)


def table(raw: RawConfig, key: Key, value: object) -> dict[str, Any]:
    """A table."""
    if not isinstance(value, dict):
        refuse(raw, key, "a table", value)
    return value


def boolean(raw: RawConfig, key: Key, value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        refuse(raw, key, "true or false", value)
    return value


def share(raw: RawConfig, key: Key, value: object) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        refuse(raw, key, "a number from 0 to 1", value)
    return float(value)


def seconds(raw: RawConfig, key: Key, value: object) -> float:
    """A time in seconds that is not nothing, at most a day."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 86_400:
        refuse(raw, key, "a number of seconds above 0, such as 30", value)
    return float(value)


def severity(raw: RawConfig, key: Key, value: object) -> Severity:
    """One of advice, warning and error."""
    if isinstance(value, str) and value in _SEVERITIES:
        return _SEVERITIES[value]
    hint = did_you_mean(value, _SEVERITIES) if isinstance(value, str) else ""
    raise raw.error(key, f'`{raw.dotted(*key)}` must be "advice", "warning" or "error", not {_shown(value)}{hint}')


def selector(raw: RawConfig, key: Key, word: str, rules: Sequence[Known]) -> str:
    """A word that stands for at least one rule."""
    if rules_called(word, rules):
        return word
    place = f"as a key of `{raw.dotted(*key[:-1])}`" if key[-1] == word else f"in `{raw.dotted(*key)}`"
    raise raw.error(key, f"{place}, {unknown_rule(word, rules)}")


def selectors(raw: RawConfig, key: Key, value: object, rules: Sequence[Known]) -> tuple[str, ...]:
    """A list of words, each of which stands for at least one rule."""
    words = strings(raw, key, value)
    for index, word in enumerate(words):
        if not rules_called(word, rules):
            raise raw.error((*key, index), f"in `{raw.dotted(*key)}`, {unknown_rule(word, rules)}")
    return words


def globs(raw: RawConfig, key: Key, value: object) -> tuple[str, ...]:
    """A list of path patterns."""
    patterns = strings(raw, key, value)
    number_of_globs(raw, key, patterns)
    for index, pattern in enumerate(patterns):
        glob(raw, (*key, index), pattern)
    return patterns


def number_of_globs(raw: RawConfig, key: Key, patterns: Sequence[str]) -> None:
    """Raise ConfigError for more patterns than can be matched with each path in a short time."""
    if problem := check_number_of_globs(patterns):
        raise raw.error(key, f"`{raw.dotted(*key)}` {problem}")


def glob(raw: RawConfig, key: Key, pattern: str) -> str:
    """A path pattern."""
    if problem := check_glob(pattern):
        raise raw.error(key, f'in `{raw.dotted(*key[:-1])}`, the pattern "{pattern}" {problem}')
    return pattern


def functions(raw: RawConfig, key: Key, value: object) -> tuple[str, ...]:
    """A list of functions by their dotted names."""
    names = strings(raw, key, value)
    for index, name in enumerate(names):
        if not all(part.isidentifier() for part in name.split(".")):
            refuse(raw, (*key, index), "the name of a function, such as train_step or Trainer.step", name)
    return names


def torch_range(raw: RawConfig, key: Key, value: object) -> TorchRange:
    """The torch versions that a project targets."""
    if not isinstance(value, str):
        refuse(raw, key, 'a text such as ">=2.4" or ">=2.4,<2.14"', value)
    try:
        found = parse_torch_range(value)
    except ValueError as error:
        raise raw.error(key, f"in `{raw.dotted(*key)}`, {error}") from error
    if found is None:
        raise raw.error(key, f'`{raw.dotted(*key)}` needs a bound, such as ">=2.4"; "{value}" has none')
    return found


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'the text "{value}"'
    if isinstance(value, dict):
        return "a table"
    return "a list" if isinstance(value, list) else str(value)
