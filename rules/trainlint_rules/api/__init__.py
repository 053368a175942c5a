"""Rules on the topic api: names and arguments that PyTorch has removed, deprecated or renamed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import ClassVar

from trainlint.analysis.programs.deprecated_uses import DeprecatedUse, deprecated_use
from trainlint.analysis.site import Site
from trainlint.analysis.tables.deprecations import Version
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule


class DeprecatedName(Rule, base=True):
    """A rule over its rows of the table in trainlint.analysis.tables.deprecations."""

    severity = Severity.WARNING
    fix_safety: ClassVar[Safety | None] = Safety.SAFE
    heat_matters = False

    def check(self, site: Site) -> Iterator[Finding]:
        """Find uses of the old names, and imports of those that are gone or that nothing uses."""
        use = deprecated_use(site.file, site.place, self.code)
        if use is not None:
            stands = use.standing
            yield self.finding(
                site,
                use.message,
                at=use.at,
                confidence=stands.confidence,
                severity=stands.severity,
                fix=partial(self.fix, site, use),
                fix_needs=self.fix_needs(use),
            )

    def fix_needs(self, use: DeprecatedUse) -> Version | None:
        """The first version of PyTorch in which the fix works; None for any."""
        return None if use.only_imports else use.deprecation.replaced_in

    def fix(self, site: Site, use: DeprecatedUse) -> Fix | None:
        """The new name, where it is exact; no import of a name that nothing uses."""
        from trainlint.fixing.renames import rename_of

        return rename_of(site.file, use)
