"""The configuration: what a project and the command line ask for, checked, as one frozen Config."""

from trainlint.config.raw import ConfigError
from trainlint.config.resolve import resolve
from trainlint.config.selection import rules_for, select, select_of_run, severity_for, without_fixes
from trainlint.config.settings import Config, Overrides

__all__ = [
    "Config",
    "ConfigError",
    "Overrides",
    "resolve",
    "rules_for",
    "select",
    "select_of_run",
    "severity_for",
    "without_fixes",
]
