"""Jinja2 as all HTML pages use it, those of the probe included."""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def html_environment(*packages: str) -> Environment:
    """The templates of these packages; where two have the same name, the first package wins.

    They are compiled once in a process.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    # Messages, paths and code come from users' files: whatever a template puts in is escaped.
    return Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
