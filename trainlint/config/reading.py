"""From a configuration file's raw values to a checked Config."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from trainlint.config import checks
from trainlint.config.settings import Config
from trainlint.naming import exactness, rules_called
from trainlint.paths import absolute

if TYPE_CHECKING:
    from trainlint.config.raw import RawConfig
    from trainlint.declared import Known
    from trainlint.finding import Severity

KEYS = (
    "select",
    "extend-select",
    "ignore",
    "per-file-ignores",
    "exclude",
    "target-torch",
    "severity",
    "hot",
    "cold",
    "preview",
    "min-confidence",
    "fail-on",
    "file-time-limit",
)
_Value = TypeVar("_Value")


def config_from(raw: RawConfig, rules: Sequence[Known]) -> Config:
    """Check every key and value of a file. Raises ConfigError at the first that is wrong."""
    where = "[tool.trainlint]" if raw.table else raw.path.name
    for key in raw.values:
        checks.check_known(raw, (key,), KEYS, where=where)

    def value(key: str, check: Callable[[RawConfig, checks.Key, object], _Value], default: _Value) -> _Value:
        return check(raw, (key,), raw.values[key]) if key in raw.values else default

    def selectors(raw: RawConfig, key: checks.Key, words: object) -> tuple[str, ...]:
        return checks.selectors(raw, key, words, rules)

    default = Config()
    return Config(
        root=str(absolute(raw.path).parent),
        source=str(absolute(raw.path)),
        select=value("select", selectors, default.select),
        extend_select=value("extend-select", selectors, default.extend_select),
        ignore=value("ignore", selectors, default.ignore),
        per_file_ignores=_per_file_ignores(raw, rules),
        exclude=value("exclude", checks.globs, default.exclude),
        target_torch=checks.torch_range(raw, ("target-torch",), raw.values["target-torch"])
        if "target-torch" in raw.values
        else None,
        severity=_severity(raw, rules),
        hot=value("hot", checks.functions, default.hot),
        cold=value("cold", checks.functions, default.cold),
        preview=value("preview", checks.boolean, default.preview),
        min_confidence=value("min-confidence", checks.share, default.min_confidence),
        fail_on=value("fail-on", checks.severity, default.fail_on),
        file_time_limit=value("file-time-limit", checks.seconds, default.file_time_limit),
    )


def _per_file_ignores(raw: RawConfig, rules: Sequence[Known]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    section = checks.table(raw, ("per-file-ignores",), raw.values.get("per-file-ignores", {}))
    checks.number_of_globs(raw, ("per-file-ignores",), tuple(section))
    return tuple(
        (
            checks.glob(raw, ("per-file-ignores", pattern), pattern),
            checks.selectors(raw, ("per-file-ignores", pattern), words, rules),
        )
        for pattern, words in section.items()
    )


def _severity(raw: RawConfig, rules: Sequence[Known]) -> tuple[tuple[str, Severity], ...]:
    """For each rule's code, the severity that the most exact word gives it."""
    section = checks.table(raw, ("severity",), raw.values.get("severity", {}))
    found: dict[str, Severity] = {}
    for word in sorted(section, key=exactness):
        key = ("severity", word)
        checks.selector(raw, key, word, rules)
        level = checks.severity(raw, key, section[word])
        found |= {rule.code: level for rule in rules_called(word, rules)}
    return tuple(sorted(found.items()))
