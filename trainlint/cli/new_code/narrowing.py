"""What a run of `trainlint check` leaves out because it is not new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trainlint.baseline.identity import Identities
from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.cli.new_code.judged import JudgedFiles, baselines_of
from trainlint.report.characters import quoted

if TYPE_CHECKING:
    from argparse import Namespace

    from trainlint.baseline.matching import Entry
    from trainlint.cli.new_code.against_revision import Revision
    from trainlint.engine.configurations import Configurations
    from trainlint.engine.discover import Discovery
    from trainlint.engine.rewriting import Fixing
    from trainlint.engine.run import Run
    from trainlint.finding import Report
    from trainlint.report import Sources

_MOST_NAMED = 5
"""So many stale entries are named, unless --verbose asks for all."""


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What the findings of a run are compared with."""

    files: JudgedFiles
    baselines: Mapping[str, tuple[Entry, ...]]
    """The entries of each baseline, by its absolute path."""
    revision: Revision | None
    ids: tuple[str, ...] = ()
    """Those of the findings that were named; empty where all count."""

    def narrowed(self, found: Run, sources: Sources, asked: Report | None = None) -> Run:
        """The run with its new and named findings alone, which alone decide how it ends. Raises UsageError.

        `sources` gives the texts that were judged. Those of files that fixes would change are in the run. `asked` are
        the findings before it, where it fixed some of them.
        """
        fixed = {rewrite.after.path: rewrite.after for rewrite in found.rewrites}
        report = found.report
        if self.baselines:
            from trainlint.cli.new_code.against_baseline import compared

            report = compared(report, self.baselines, self.files, lambda shown: fixed.get(shown) or sources(shown))
        if self.revision is not None:
            contents = {shown: after.encode(after.text) for shown, after in fixed.items()}
            files = replace(self.files, contents={**self.files.contents, **contents})
            report = self.revision.of_the_change(report, files)
        if self.ids:
            from trainlint.cli.new_code.only import named, standing

            texts = Identities(lambda shown: fixed.get(shown) or sources(shown))
            report = named(report, self.ids, texts) if asked is None else standing(report, asked, self.ids, texts)
        return replace(found, report=report, failing=any(map(self.files.fails, report.findings)))

    def limited(self, fixing: Fixing, listed: Report) -> Fixing:
        """What is to be done about the findings of a report, and about no others. Raises UsageError."""
        from trainlint.engine.rewriting import place_shown

        if fixing.limit is not None and fixing.ignore_reason is not None:
            raise UsageError(
                "with a baseline, --diff-base or --only, --add-ignores goes without fixes: fix first, then run again"
            )
        chosen = frozenset(map(place_shown, listed.findings))
        return replace(fixing, chosen=chosen, silenced=chosen)

    def tell_gone(self, report: Report, options: Namespace) -> None:
        """Say on stderr which entries of baselines are stale. They fail nothing."""
        gone = report.compared.gone if report.compared else ()
        if not gone or options.quiet:
            return
        assert report.compared is not None  # it has the entries
        for entry in gone if options.verbose else gone[:_MOST_NAMED]:
            where = f" in {entry.function}" if entry.function else ""
            console.note(f"stale: {quoted(entry.path)}: {entry.code}{where}: {entry.line}")
        more = "" if options.verbose or len(gone) <= _MOST_NAMED else f" ({len(gone) - _MOST_NAMED} more are not named)"
        are = "entry is" if len(gone) == 1 else "entries are"
        flag = "" if len(report.compared.baselines) > 1 else f" -o {quoted(report.compared.baselines[0])}"
        console.note(
            f"{len(gone)} {are} stale: the finding is gone{more}. `trainlint baseline --prune{flag}` drops "
            f"{'it' if len(gone) == 1 else 'them'}."
        )


def narrowing_for(
    options: Namespace,
    configurations: Configurations,
    discovery: Discovery,
    contents: Mapping[str, bytes] | None = None,
) -> Narrowing:
    """What was typed and configured for the files that were found. Raises UsageError.

    `contents` has the bytes of what is not read from the disk, by the path that findings show.
    """
    paths = {target.shown: target.path for target in discovery.targets}
    files = JudgedFiles(configurations, paths, discovery.searched, contents or {})
    names = baselines_of(files)
    baselines: Mapping[str, tuple[Entry, ...]] = {}
    if names:
        from trainlint.cli.new_code.against_baseline import usable_baselines

        baselines = usable_baselines(names)
    revision = None
    if options.diff_base is not None:
        from trainlint.cli.new_code.against_revision import Revision

        revision = Revision(options.diff_base, files.paths.values())
    return Narrowing(files, baselines, revision, tuple(options.only or ()))
