"""The kinds of values that settings have: how each is checked, typed on the command line and described in JSON Schema.

A check gets a value as TOML holds it and returns it as `Config` does. It raises ConfigError for a value that is wrong.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

from trainlint.bounded import leads_out
from trainlint.config.globs import MOST_PATTERNS, check_glob, check_number_of_globs
from trainlint.finding import Confidence, Severity
from trainlint.naming import did_you_mean, exactness, is_known, rules_called, unknown_rule
from trainlint.project import project_around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

    from trainlint.catalogue import InstalledRule
    from trainlint.config.raw import RawConfig
    from trainlint.config.torch_range import TorchRange

    KeyPath = tuple[str | int, ...]
    Check = Callable[[RawConfig, KeyPath, object, Sequence[InstalledRule]], Any]

_MOST_SECONDS = 86_400
"""A day."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value."""

    words: str
    """What people call it, with an article."""
    check: Check
    schema: Mapping[str, object]
    """What JSON Schema can say of it. It accepts each value that `check` accepts."""
    typed: Callable[[str], Any] | None = None
    """From a word of the command line to the value in `Config`. Raises ValueError, whose message is what was wanted.
    None where the command line cannot set a value."""


def _refuse(raw: RawConfig, key: KeyPath, wanted: str, value: object) -> NoReturn:
    raise raw.error(key, f"`{raw.dotted(*key)}` must be {wanted}, not {_shown(value)}")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'the text "{value}"'
    if isinstance(value, dict):
        return "a table"
    return "a list" if isinstance(value, list) else str(value)


def _texts(raw: RawConfig, key: KeyPath, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        _refuse(raw, key, "a list of texts", value)
    for index, item in enumerate(value):
        if not isinstance(item, str) or not item:
            _refuse(raw, (*key, index), "a text that is not empty", item)
    return tuple(value)


def _table(raw: RawConfig, key: KeyPath, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        _refuse(raw, key, "a table", value)
    return value


# Rules by codes, prefixes and names


def _rules(raw: RawConfig, key: KeyPath, value: object, rules: Sequence[InstalledRule]) -> tuple[str, ...]:
    words = _texts(raw, key, value)
    for index, word in enumerate(words):
        if not is_known(word, rules):
            raise raw.error((*key, index), f"in `{raw.dotted(*key)}`, {unknown_rule(word, rules)}")
    return words


def _typed_rules(text: str) -> list[str]:
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise ValueError("rules separated by commas, as in TRN2,TRN301")
    return words


_RULE = {"type": "string", "minLength": 1, "description": "A code (TRN201), the beginning of one (TRN2), a name or ALL"}
RULES = Kind("a list of rules", _rules, {"type": "array", "items": _RULE}, _typed_rules)


# Path patterns


def _globs(raw: RawConfig, key: KeyPath, value: object, rules: Sequence[InstalledRule]) -> tuple[str, ...]:
    patterns = _texts(raw, key, value)
    _require_few(raw, key, patterns)
    for index, pattern in enumerate(patterns):
        _require_glob(raw, (*key, index), pattern)
    return patterns


def _require_few(raw: RawConfig, key: KeyPath, patterns: Sequence[str]) -> None:
    """Raise ConfigError for more patterns than can be matched with each path in a short time."""
    if problem := check_number_of_globs(patterns):
        raise raw.error(key, f"`{raw.dotted(*key)}` {problem}")


def _require_glob(raw: RawConfig, key: KeyPath, pattern: str) -> None:
    if problem := check_glob(pattern):
        raise raw.error(key, f'in `{raw.dotted(*key[:-1])}`, the pattern "{pattern}" {problem}')


def _rules_by_glob(
    raw: RawConfig, key: KeyPath, value: object, rules: Sequence[InstalledRule]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    section = _table(raw, key, value)
    _require_few(raw, key, tuple(section))
    found = []
    for pattern, words in section.items():
        _require_glob(raw, (*key, pattern), pattern)
        found.append((pattern, _rules(raw, (*key, pattern), words, rules)))
    return tuple(found)


# Neither `!` at the beginning nor a backslash anywhere, and not only slashes and spaces.
_GLOB = {"type": "string", "pattern": r"^(?!!)[^\\]*[^\\/ ][^\\]*$"}
GLOBS = Kind("a list of path patterns", _globs, {"type": "array", "items": _GLOB, "maxItems": MOST_PATTERNS})
RULES_BY_GLOB = Kind(
    "a table from path patterns to lists of rules",
    _rules_by_glob,
    {
        "type": "object",
        "propertyNames": _GLOB,
        "additionalProperties": RULES.schema,
        "maxProperties": MOST_PATTERNS,
    },
)


# Severities and levels of confidence


def _one_of(members: Mapping[str, Any]) -> Kind:
    """One of the members of an enumeration, by its label: in lower case in a file, in any case on the command line."""
    *others, last = (f'"{label}"' for label in members)
    words = f"{', '.join(others)} or {last}"

    def check(raw: RawConfig, key: KeyPath, value: object, rules: Sequence[InstalledRule]) -> Any:
        if isinstance(value, str) and value in members:
            return members[value]
        hint = did_you_mean(value, members) if isinstance(value, str) else ""
        raise raw.error(key, f"`{raw.dotted(*key)}` must be {words}, not {_shown(value)}{hint}")

    def typed(text: str) -> Any:
        if text.lower() not in members:
            raise ValueError(words.replace('"', ""))
        return members[text.lower()]

    return Kind(words, check, {"type": "string", "enum": list(members)}, typed)


SEVERITY = _one_of({severity.label: severity for severity in Severity})
LEVEL = _one_of({level.label: level for level in reversed(Confidence)})


def _severity_by_rule(
    raw: RawConfig, key: KeyPath, value: object, rules: Sequence[InstalledRule]
) -> tuple[tuple[str, Severity], ...]:
    """For each rule's code, the severity that the most exact word gives it."""
    section = _table(raw, key, value)
    found: dict[str, Severity] = {}
    for word in sorted(section, key=exactness):
        called = rules_called(word, rules)
        if not is_known(word, rules):
            raise raw.error((*key, word), f"as a key of `{raw.dotted(*key)}`, {unknown_rule(word, rules)}")
        severity = SEVERITY.check(raw, (*key, word), section[word], rules)
        found |= {rule.code: severity for rule in called}
    return tuple(sorted(found.items()))


SEVERITY_BY_RULE = Kind(
    f"a table from rules to {SEVERITY.words}",
    _severity_by_rule,
    {"type": "object", "propertyNames": {"minLength": 1}, "additionalProperties": SEVERITY.schema},
)


# Numbers and switches


def _switch(raw: RawConfig, key: KeyPath, value: object, rules: Sequence[InstalledRule]) -> bool:
    if not isinstance(value, bool):
        _refuse(raw, key, "true or false", value)
    return value


def _seconds(raw: RawConfig, key: KeyPath, value: object, rules: Sequence[InstalledRule]) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= _MOST_SECONDS:
        _refuse(raw, key, f"a number of seconds above 0 and up to {_MOST_SECONDS:,}, such as 30", value)
    return float(value)


SWITCH = Kind("true or false", _switch, {"type": "boolean"})
SECONDS = Kind(
    f"a number of seconds above 0 and up to {_MOST_SECONDS:,} (a day)",
    _seconds,
    {"type": "number", "exclusiveMinimum": 0, "maximum": _MOST_SECONDS},
)


# Limits on what a training step does


LIMITS = {
    "syncs": "times that the CPU waits for the GPU",
    "pageable-copies": "copies between CPU and GPU from or to pageable memory",
    "graph-breaks": "graph breaks of torch.compile",
    "recompiles": "compilations of what was compiled before",
    "allocations": "requests for GPU memory to the driver",
    "data-wait-percent": "the share of the time that is spent waiting for batches, in percent",
}
"""What a budget can limit, each counted per training step."""


def limit_problem(name: str, value: object) -> str:
    """What is wrong with a limit, as the end of a sentence that begins with its name; empty where nothing is."""
    is_share = name.endswith("-percent")
    wanted = "from 0 to 100" if is_share else "from 0 on"
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and 0 <= value <= (100 if is_share else math.inf):  # type: ignore[operator]  # a number, as just asked
        return ""
    return f"must be a number {wanted}, not {_shown(value)}"


def _budget(
    raw: RawConfig, key: KeyPath, value: object, rules: Sequence[InstalledRule]
) -> tuple[tuple[str, float], ...]:
    section = _table(raw, key, value)
    for name, limit in section.items():
        if name not in LIMITS:
            hint = did_you_mean(name, LIMITS) or f"; known are {', '.join(LIMITS)}"
            raise raw.error((*key, name), f'unknown key "{name}" in `{raw.dotted(*key)}`{hint}')
        if problem := limit_problem(name, limit):
            raise raw.error((*key, name), f"`{raw.dotted(*key, name)}` {problem}")
    return tuple((name, section[name]) for name in LIMITS if name in section)


_COUNT, _PERCENT = {"type": "number", "minimum": 0}, {"type": "number", "minimum": 0, "maximum": 100}
BUDGET = Kind(
    "a table of limits",
    _budget,
    {
        "type": "object",
        "properties": {
            name: {"description": f"{what[0].upper()}{what[1:]}"} | (_PERCENT if name.endswith("-percent") else _COUNT)
            for name, what in LIMITS.items()
        },
        "additionalProperties": False,
    },
)


# Files


def _file(raw: RawConfig, key: KeyPath, value: object, rules: Sequence[InstalledRule]) -> str:
    """The absolute path of a file, which may not exist. A repository cannot name one outside of itself."""
    if not isinstance(value, str) or not value or not value.isprintable():
        _refuse(raw, key, "the path of a file", value)
    directory = os.path.dirname(os.path.abspath(raw.path))
    path = os.path.abspath(os.path.join(directory, value))
    if leads_out(path, project_around(directory) or directory):
        raise raw.error(key, f"`{raw.dotted(*key)}` leads out of the project; name a file in it")
    return path


def _typed_file(text: str) -> str:
    if not text or "\0" in text:
        raise ValueError("the path of a file")
    return os.path.abspath(text)


FILE = Kind("the path of a file", _file, {"type": "string", "minLength": 1}, _typed_file)


# Functions and versions


def _functions(raw: RawConfig, key: KeyPath, value: object, rules: Sequence[InstalledRule]) -> tuple[str, ...]:
    names = _texts(raw, key, value)
    for index, name in enumerate(names):
        if not all(part.isidentifier() for part in name.split(".")):
            _refuse(raw, (*key, index), "the name of a function, such as train_step or Trainer.step", name)
    return names


def _torch_range(raw: RawConfig, key: KeyPath, value: object, rules: Sequence[InstalledRule]) -> TorchRange:
    from trainlint.config.torch_range import parse_torch_range  # few configurations name a version

    if not isinstance(value, str):
        _refuse(raw, key, 'a text such as ">=2.4" or ">=2.4,<2.14"', value)
    try:
        found = parse_torch_range(value)
    except ValueError as error:
        raise raw.error(key, f"in `{raw.dotted(*key)}`, {error}") from error
    if found is None:
        raise raw.error(key, f'`{raw.dotted(*key)}` needs a bound, such as ">=2.4"; "{value}" has none')
    return found


# Of ASCII, letters, digits and underscores; what else an identifier may hold is left to the check.
_FIRST, _LATER = r"[^\x00-@\[-^`{-\x7f]", r"[^\x00-/:-@\[-^`{-\x7f]*"
_FUNCTION = {"type": "string", "pattern": rf"^{_FIRST}{_LATER}(\.{_FIRST}{_LATER})*$"}
FUNCTIONS = Kind("a list of functions by their dotted names", _functions, {"type": "array", "items": _FUNCTION})
TORCH_RANGE = Kind(
    'a version specifier such as ">=2.4" or ">=2.4,<2.14"', _torch_range, {"type": "string", "pattern": "[0-9]"}
)
