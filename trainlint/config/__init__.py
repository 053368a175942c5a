"""The configuration: what a project and the command line ask for, checked, as one frozen Config."""

from trainlint.config.raw import ConfigError
from trainlint.config.resolve import resolve
from trainlint.config.selection import rules_for, select, severity_for
from trainlint.config.settings import Config, Overrides
from trainlint.config.torch_range import TorchRange, parse_torch_range
from trainlint.config.torch_target import find_target_torch

__all__ = [
    "Config",
    "ConfigError",
    "Overrides",
    "TorchRange",
    "find_target_torch",
    "parse_torch_range",
    "resolve",
    "rules_for",
    "select",
    "severity_for",
]
