"""Which limits hold: those that code or the command line names, else those of the configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from trainlint.config.kinds import LIMITS, limit_problem
from trainlint.naming import did_you_mean


class UnusableBudget(ValueError):
    """A budget that cannot be used. The message is a sentence that says what to write instead."""

    __module__ = "trainlint_probe"  # where it is imported from, as tracebacks show it


def checked(limits: Mapping[str, object]) -> dict[str, float]:
    """Limits by their names in the configuration, in the table's order. Raises UnusableBudget."""
    for name, value in limits.items():
        if name not in LIMITS:
            hint = did_you_mean(name, LIMITS) or f"; known are {', '.join(LIMITS)}"
            raise UnusableBudget(f'there is no limit "{name}"{hint}')
        if problem := limit_problem(name, value):
            raise UnusableBudget(f"{name} {problem}")
    return {name: float(str(limits[name])) for name in LIMITS if name in limits}


def check_steps(steps: object) -> None:
    """Raise UnusableBudget for what is no number of steps."""
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise UnusableBudget(f"steps must be a whole number from 1 on, not {steps!r}")


def checked_reason(reason: object) -> str:
    """Why something is allowed. Raises UnusableBudget where nothing is said."""
    if not isinstance(reason, str) or not reason.strip():
        raise UnusableBudget('say why, as in allow("the loss is logged every 100 steps")')
    return reason.strip()


def typed(words: Iterable[str]) -> dict[str, float]:
    """The limits of words such as "syncs=0". Raises UnusableBudget."""
    found: dict[str, object] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise UnusableBudget(f'write a limit as NAME=NUMBER, such as syncs=0, not "{word}"')
        try:
            found[name] = float(text)
        except ValueError:
            found[name] = text
    return checked(found)


@lru_cache(maxsize=64)
def configured_limits(directory: Path) -> Mapping[str, float]:
    """The limits that the nearest configuration of an absolute directory sets. Raises UnusableBudget."""
    from trainlint.catalogue import installed_rules
    from trainlint.config import ConfigError
    from trainlint.engine.configurations import Configurations, Misconfigured
    from trainlint.installation.distributions import PackError

    try:
        return dict(Configurations(installed_rules()).of(directory).config.budget)
    except (ConfigError, Misconfigured, PackError) as error:
        raise UnusableBudget(str(error)) from error


def limits_for(named: Mapping[str, object], directory: Path) -> Mapping[str, float]:
    """The limits that are named, or else those of the configuration. Raises UnusableBudget where there are none."""
    limits = checked(named) if named else configured_limits(directory)
    if not limits:
        raise UnusableBudget(
            "there is no limit: name one, such as syncs=0, or write it into [tool.trainlint.budget] of pyproject.toml"
        )
    return limits
