"""Lays the summaries of all files side by side: what each is told by the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from trainlint.analysis.project.around import uses_around
from trainlint.analysis.project.modules import Modules
from trainlint.analysis.project.neighbours import imports_among
from trainlint.analysis.project.shared_names import SharedNames
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.types.imported_facts import ALONE, ImportedFacts


def link(
    summaries: Sequence[Summary], paths: Sequence[PurePath], asked: Sequence[bool] | None = None
) -> list[ImportedFacts]:
    """What the files of one group tell each other, in the order of the summaries.

    `paths` are their absolute paths, `asked` says which files are to be told (all, if None).
    """
    modules = Modules(paths)
    shared = SharedNames(summaries, modules)
    around = uses_around(summaries, imports_among([summary.imports for summary in summaries], modules))
    with_default_device = any(summary.sets_default_device for summary in summaries)
    testing = {summary.path for summary in summaries if summary.tests_old_scaler}
    ignored = {f"{one.path}:{line}": (one, words) for one in summaries for line, words in one.ignored.items()}
    return [
        ImportedFacts(
            uses=around[file],
            ignored_at={place: words for place, (other, words) in ignored.items() if other is not summary},
            old_scaler_tested=bool(testing - {summary.path}),
            taken_names=shared.taken(file),
            default_device_set=with_default_device,
        )
        if asked is None or asked[file]
        else ALONE
        for file, summary in enumerate(summaries)
    ]
