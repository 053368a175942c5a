"""The fixes as codemods of LibCST, for tools and people that run those.

    python -m libcst.tool codemod -x trainlint.codemods.CudaAmpNamespace src/ --no-format
    python -m libcst.tool codemod -x trainlint.codemods.SafeFixes src/ --no-format

A codemod has the name of its rule, written as a class: `cuda-amp-namespace` is CudaAmpNamespace. It judges each file as
`trainlint check` does, with the other files of its project and the configuration that holds there, and applies that
rule's fixes up to the level that is allowed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import libcst
from libcst.codemod import CodemodCommand, SkipFile

from trainlint.catalogue import installed_rules
from trainlint.config import Overrides
from trainlint.engine.configurations import Configurations
from trainlint.engine.rewriting import Fixing
from trainlint.engine.run import run_text
from trainlint.finding import Safety
from trainlint.paths import shown_path
from trainlint.source import source_from_text

if TYPE_CHECKING:
    import argparse

    from libcst.codemod import CodemodContext

    from trainlint.catalogue import InstalledRule

_LEVELS = {"safe": Safety.SAFE, "numeric": Safety.NUMERICS, "unsafe": Safety.UNSAFE}


class SafeFixes(CodemodCommand):
    """The fixes of every rule that is on. Raises SkipFile for what trainlint cannot judge."""

    DESCRIPTION = "Apply trainlint's fixes that keep training bit-identical."
    code: str | None = None
    """The one rule whose fixes are applied; None for all that are on."""

    def __init__(self, context: CodemodContext, level: str = "safe") -> None:
        super().__init__(context)
        self._limit = _LEVELS[level]

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """The options besides those of LibCST's tool."""
        arg_parser.add_argument(
            "--level",
            choices=tuple(_LEVELS),
            default="safe",
            help="safe keeps training bit-identical, numeric may change rounding, unsafe changes what is computed",
        )

    def transform_module_impl(self, tree: libcst.Module) -> libcst.Module:
        """The module with the fixes."""
        name = self.context.filename
        path = Path.cwd() / (name or "<stdin>")
        source = source_from_text(shown_path(path, Path.cwd()), tree.code, encoding=tree.encoding)
        overrides = Overrides() if self.code is None else Overrides(select=(self.code,))
        configurations = Configurations(installed_rules(), overrides)
        found = run_text(source, path, configurations, fixing=Fixing(self._limit), alone=name is None)
        for failure in found.report.failures:
            raise SkipFile(failure.reason)
        for fix in found.report.unapplied:
            self.warn(fix.reason)
        for rewrite in found.rewrites:
            return libcst.parse_module(rewrite.after.text, config=tree.config_for_parsing)
        return tree


def _codemod_of(rule: InstalledRule) -> type[SafeFixes]:
    members = {"__doc__": rule.summary, "__module__": __name__, "DESCRIPTION": rule.summary, "code": rule.code}
    return type(class_name(rule), (SafeFixes,), members)


def class_name(rule: InstalledRule) -> str:
    """The name of a rule's codemod."""
    return "".join(word.capitalize() for word in rule.name.split("-"))


def __getattr__(name: str) -> type[SafeFixes]:
    """The codemod of a rule by the name of its class. It is kept, so that worker processes find the same class."""
    for rule in installed_rules():
        if class_name(rule) == name and rule.fix_safety is not None:
            found = globals()[name] = _codemod_of(rule)
            return found
    raise AttributeError(f"no rule with a fix is called {name}; `trainlint rules --fixable` lists them")
