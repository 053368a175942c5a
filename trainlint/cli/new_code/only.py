"""`trainlint check --only ID`: findings that are named by their ids, and no others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trainlint.baseline.identity import Identities
from trainlint.cli.console import UsageError
from trainlint.cli.new_code.judged import JudgedFiles
from trainlint.report.words import failure_sentence

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping
    from pathlib import Path

    from trainlint.engine.configurations import Configurations
    from trainlint.engine.run import Run
    from trainlint.finding import Finding, Report
    from trainlint.report import Sources


def only_for(options: Namespace, configurations: Configurations, paths: Mapping[str, Path]) -> Only | None:
    """The findings that were named; None where all count. `paths` has the absolute path of each file."""
    return Only(tuple(options.only), JudgedFiles(configurations, paths)) if options.only else None


@dataclass(frozen=True, slots=True)
class Only:
    """The findings that were asked for. They alone decide how a run ends."""

    ids: tuple[str, ...]
    files: JudgedFiles

    def named(self, found: Run, sources: Sources) -> Run:
        """A run in which nothing was fixed, with its named findings. Raises UsageError where an id names none.

        `sources` gives the texts that were judged.
        """
        identities = Identities(sources)
        ids = [identities.id_of(finding) for finding in found.report.findings]
        unknown = next((each for each in self.ids if each not in ids), None)
        if unknown is not None:
            raise UsageError(
                f"no finding here has the id {unknown}: it is fixed, its statement was changed, or these paths and "
                "settings do not show it; `trainlint check --output-format agent` lists ids",
                *map(failure_sentence, found.report.failures),
            )
        listed = zip(found.report.findings, ids, strict=True)
        return self._with(found, [finding for finding, each in listed if each in self.ids])

    def narrowed(self, found: Run, named: Report | None, sources: Sources) -> Run:
        """A run with its named findings. `named` are those before it, where it fixed some of them."""
        return self.named(found, sources) if named is None else self._left(found, named, sources)

    def _left(self, found: Run, named: Report, sources: Sources) -> Run:
        """What stands of the named findings.

        Of equal statements, one that was fixed may leave its id to the next, so the fixes are counted.
        """
        rewritten = {rewrite.after.path: rewrite.after for rewrite in found.rewrites}
        identities = Identities(lambda shown: rewritten.get(shown) or sources(shown))
        left = Counter((finding.path, finding.code) for finding in named.findings)
        left -= Counter({(path, code): number for path, code, number in found.report.fixed_rules})
        kept: list[Finding] = []
        for finding in found.report.findings:
            if left[finding.path, finding.code] and identities.id_of(finding) in self.ids:
                left[finding.path, finding.code] -= 1
                kept.append(finding)
        return self._with(found, kept)

    def _with(self, found: Run, kept: list[Finding]) -> Run:
        report = replace(found.report, findings=tuple(kept), left_out=len(found.report.findings) - len(kept))
        return replace(found, report=report, failing=any(map(self.files.fails, kept)))
