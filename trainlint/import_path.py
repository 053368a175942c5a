"""Keeps code that is judged from being imported.

Python looks for modules in the working directory first (`python -m trainlint`) and then in the entries of PYTHONPATH,
so a repository's `libcst.py` would be taken for LibCST. `protect_imports` runs before anything is imported that could
be shadowed. Therefore this module and what it imports do without `from __future__ import annotations`, which imports a
module, too.
"""

import os
import sys

from trainlint.project import judged_tree, lies_in, project_around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""The folder that the package `trainlint` lies in: site-packages, or a checkout of trainlint, which is trusted as the
package in it is."""


def protect_imports(words: "Iterable[str]") -> None:
    """Take from `sys.path` what a repository that is judged may have written.

    `words` are those of the command line: the projects of all paths among them are judged, and the one around the
    working directory. What `trainlint server` judges is said later, so all projects that PYTHONPATH leads into count
    there. Of the entries before Python's own library, which are the working directory and those of
    PYTHONPATH, all go that are relative or lie in these projects. Folders that installers write to stay, and entries
    behind Python's own library, such as those of editable installs.
    """
    try:
        here = os.getcwd()
    except OSError:  # it was deleted; then everything may lie in it
        here = os.sep
    words = list(words)
    python_path = os.environ.get("PYTHONPATH", "")
    named = [os.path.normpath(os.path.join(here, path)) for word in words for path in _paths_in(word)]
    if words[:1] == ["server"]:
        named += [entry for entry in python_path.split(os.pathsep) if os.path.isabs(entry) and project_around(entry)]
    sys.path[:] = safe_path(sys.path, here, [here, *named], python_path)


def safe_path(path: "Sequence[str]", here: str, judged: "Iterable[str]", python_path: str) -> list[str]:
    """`path` without what lies in the `judged` places or their projects, or stands in `python_path` as relative.

    `here` is the working directory.
    """
    relative = (entry for entry in python_path.split(os.pathsep) if not os.path.isabs(entry))
    forbidden = {resolved(os.path.join(here, entry)) for entry in relative}
    roots = _judged_roots(judged)
    own = {resolved(HOME)}
    allowed = {*map(resolved, folders_of_installers())}
    real = [resolved(os.path.join(here, entry)) for entry in path]
    library = resolved(os.path.dirname(os.__file__))
    first_safe = real.index(library) if library in real else len(path)
    kept = []
    for index, entry in enumerate(path):
        is_judged = not os.path.isabs(entry) or real[index] in forbidden or _is_below(real[index], roots)
        if index >= first_safe or real[index] in allowed or _is_below(real[index], own) or not is_judged:
            kept.append(entry)
    return kept


def _judged_roots(judged: "Iterable[str]") -> set[str]:
    """The places that are judged, and their projects, with links resolved."""
    # `project_around` stops at the home directory, which CI may set to the checkout. `judged_tree` does not.
    return {
        resolved(place) for named in judged for place in (named, project_around(named) or named, judged_tree(named))
    }


def _paths_in(word: str) -> "list[str]":
    """The paths that exist in a word such as `train.py`, `--stdin-filename=train.py` or `train.py:7`."""
    parts = (word, word.partition("=")[2], word.rpartition(":")[0])
    return [part for part in parts if part and os.path.exists(part)]


def folders_of_installers() -> list[str]:
    """Where installers put distributions for this Python (site-packages, and dist-packages on Debian)."""
    import site  # Python imports it as it starts, unless it is told not to

    of_user = [site.USER_SITE] if site.ENABLE_USER_SITE and site.USER_SITE else []
    return [*of_user, *site.getsitepackages()]


def environment_for_workers() -> dict[str, str]:
    """The variables that keep the same entries from the path of a Python that is started anew.

    Python 3.10 does not know PYTHONSAFEPATH.
    """
    entries = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry in sys.path]
    return {"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(entries)}


def resolved(place: str) -> str:
    """An absolute path with links resolved, equal for all spellings of one place."""
    return os.path.normcase(os.path.realpath(place))


def _is_below(place: str, roots: "Iterable[str]") -> bool:
    return any(lies_in(place, root) for root in roots)
