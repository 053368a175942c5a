"""Jinja2 as all pages use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint_probe.report.drawing import MISSING, MissingLibrary

if TYPE_CHECKING:
    from jinja2 import Environment


def html_environment(*packages: str) -> Environment:
    """Templates of these packages, first found first. Raises MissingLibrary where Jinja2 is not installed."""
    try:
        from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise MissingLibrary(MISSING) from error
    # All text is escaped where it is put in: messages and paths come from users' files.
    return Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
