"""`trainlint check --watch`: judge once, then again whenever a file changes, until Ctrl-C.

Each time is an ordinary run: it reads the settings anew, and the cache knows what has not changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.cli.outputs import outputs
from trainlint.paths import absolute, is_directory, shown_path
from trainlint.project import project_around
from trainlint.report.characters import quoted
from trainlint.report.words import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

_SUFFIXES = frozenset({".py", ".pyi", ".ipynb", ".json", ".yaml", ".yml", ".toml", ".cfg", ".txt", ".lock"})
"""What may be judged, or may say how: code, settings of a training, configuration and requirements."""
_NAMES = frozenset({".gitignore", ".ignore"})
_MOST_NAMED = 3
"""Changed files that are named before a run."""
_MOMENT_MS = 100
"""Milliseconds after which the watch says that nothing changed."""
_QUIET_MS = 50
"""Milliseconds without a further change before a run starts: an editor or a checkout writes several files at once."""


def watch(options: Namespace, judge: Callable[[], int]) -> int:
    """Call `judge` now and after each change, and return the exit code of the last run when Ctrl-C ends it.

    Raises UsageError where watchfiles is not installed, and as `judge` does the first time. Later, what is wrong is
    told and the watch goes on: a file that is being edited is wrong every now and then.
    """
    changes = _changes(options)
    next(changes)  # watch from now on: what changes while files are judged counts, too
    code = judge()
    try:
        while True:
            _note_unless_quiet("Watching for changes; Ctrl-C ends.", options)
            changed = next(filter(None, changes))
            _note_unless_quiet(f"Changed: {_path_list(changed)}", options)
            try:
                code = judge()
            except UsageError as error:
                code = 2
                for sentence in error.args:
                    console.note(f"trainlint: {sentence}")
    except (KeyboardInterrupt, StopIteration):
        _note_unless_quiet("Stopped watching.", options)
        return code


def _note_unless_quiet(words: str, options: Namespace) -> None:
    if not options.quiet:
        console.note(words)


def _changes(options: Namespace) -> Iterator[list[str]]:
    """The paths that changed since the item before, over and over; none where a moment passed without a change.

    Raises UsageError where watchfiles is not installed.
    """
    try:
        import watchfiles
    except ImportError as error:
        from trainlint.installation.install_command import install_command

        raise UsageError(f"--watch needs watchfiles: run `{install_command('watchfiles')}`") from error
    own = {absolute(item.file) for item in outputs(options) if item.file is not None}
    ordinary = watchfiles.DefaultFilter()  # without .git, environments and caches

    def counts(change: watchfiles.Change, path: str) -> bool:
        changed = Path(path)
        known = changed.name in _NAMES or changed.suffix in _SUFFIXES
        return known and changed not in own and ordinary(change, path)

    def stream() -> Iterator[list[str]]:
        places = watched(options.paths)
        for found in watchfiles.watch(
            *places, watch_filter=counts, step=_QUIET_MS, rust_timeout=_MOMENT_MS, yield_on_timeout=True
        ):
            yield sorted({path for _, path in found})

    return stream()


def watched(paths: list[str]) -> list[str]:
    """The directories to watch: the project of each path, since its other files have a say, else what is named."""
    found: dict[str, None] = {}
    for path in paths or ["."]:
        place = absolute(Path(path))
        directory = str(place if is_directory(place) else place.parent)
        found[project_around(directory) or directory] = None
    return [place for place in found if is_directory(Path(place))]


def _path_list(paths: list[str]) -> str:
    here = Path.cwd()
    shown = ", ".join(quoted(shown_path(Path(path), here)) for path in paths[:_MOST_NAMED])
    more = len(paths) - _MOST_NAMED
    return f"{shown} and {count(more, 'more file')}" if more > 0 else shown
