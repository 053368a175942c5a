"""Rules on the topic api: names and arguments that PyTorch has removed, deprecated or renamed."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from trainlint.analysis.programs.old_names.deprecated_uses import (
    DeprecatedUse,
    deprecated_use,
    is_switched,
)
from trainlint.analysis.site import Site
from trainlint.analysis.tables.versions.deprecation import Version
from trainlint.analysis.tables.versions.deprecations import prefixes
from trainlint.contract.bases import ReferenceRule
from trainlint.contract.confidence import level
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import early_guard
from trainlint.finding import Fix, Safety
from trainlint.rule import Triggers


@early_guard
def switched(site: Site) -> bool:
    """A version check or a `try` chooses between two names."""
    return is_switched(site.block)


class DeprecatedName(ReferenceRule, base=True):
    """A rule over its rows of the table in trainlint.analysis.tables.versions.deprecations."""

    in_tests = True
    editor_tag = "deprecated"
    unless = (switched,)
    message = "{fact}"
    help = "{instead}"
    fix_safety: ClassVar[Safety | None] = Safety.SAFE

    @classmethod
    def places(cls) -> Triggers:
        """The names in the rule's rows."""
        return Triggers(references=prefixes(cls.code))

    def found(self, site: Site) -> Match | None:
        """A use of an old name, or an import of one that is gone or that nothing uses."""
        use = self.use(site)
        if use is None:
            return None
        fields = {"fact": use.fact, "instead": use.instead, "use": use}
        severity, needs = use.standing.severity, self.needs(use)
        return Match(site.at(use.at), level(use.standing.confidence), fields, severity=severity, fix_needs=needs)

    def use(self, site: Site) -> DeprecatedUse | None:
        """The use of an old name that the rule reports at a place."""
        return deprecated_use(site.file, site.place, self.code)

    def needs(self, use: DeprecatedUse) -> Version | None:
        """The first version of PyTorch in which the fix works; None for any."""
        return None if use.only_imports else use.deprecation.replaced_in

    def fix(self, site: Site, match: Match) -> Fix | None:
        """The new name, where it is exact; no import of a name that nothing uses."""
        fix = self.renamed(site, match["use"])
        lowest = self.fix_safety or Safety.UNSAFE
        return None if fix is None else replace(fix, safety=max(fix.safety, lowest))

    def renamed(self, site: Site, use: DeprecatedUse) -> Fix | None:
        """The fix of one use."""
        from trainlint.fixing.renames import rename_of

        return rename_of(site.file, use)
