"""Runs git for `--diff-base`, and to name the commit of a run: four commands that read commits and their files, and
nothing of the working tree.

Git runs programs that a repository's configuration names where it looks at files of the working tree: filters, text
conversions, external diffs, file system monitors. So git is never asked about the working tree. It hands out the text
of a file as it was committed, and trainlint itself compares that with the file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from trainlint.bounded import SOURCE_BYTES
from trainlint.project import lies_in

_SECONDS = 60
"""So long git may take for one answer. A configuration that includes a pipe would make it wait for ever."""
_MOST_BYTES = 200_000_000
"""The most that is read of one answer."""
_REVISION_BYTES = 10_000
_AT_ONCE = 200
"""So many files are asked for by one command: command lines have an end."""
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
"""Where the user's own configuration lies; it says which directories of other users are safe."""
_FILE, _SUBMODULE = b"100", b"160000"
"""How the modes of files and submodules begin."""
_HEXADECIMAL = frozenset("0123456789abcdef")

_OPTIONS = (
    "--no-pager",
    "--no-replace-objects",
    "--no-optional-locks",
    "--literal-pathspecs",
    # Only a directory that is named as a repository is one, so that none is taken for one that holds its files.
    *("-c", "safe.bareRepository=explicit"),
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", f"core.attributesFile={os.devnull}"),
    *("-c", "protocol.allow=never"),
)


class GitFailed(Exception):
    """Git does not answer. The message is a sentence for people, with what to do."""


class Blob(NamedTuple):
    """A file of a commit, or a submodule."""

    path: str
    """Below the root of the repository, with forward slashes."""
    name: str
    """The hash of its content; of a submodule, the commit."""


class Git:
    """The git repository whose root is a directory. Every method raises GitFailed."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._program = _program()

    def merge_base(self, revision: str) -> str:
        """The hash of the commit in which the history of HEAD and that of a revision part."""
        if revision.startswith("-") or not revision or not revision.isprintable():
            raise GitFailed(f"--diff-base names a branch, a tag or a commit, which {revision!r} is not")
        base = self._commit(revision)
        if base is None:
            hint = self._when_shallow() or (
                "see `git branch -a`; CI often fetches one branch alone, so fetch this one, too"
            )
            raise GitFailed(f"--diff-base {revision}: the repository {self._root} knows no such commit; {hint}")
        head = self._commit("HEAD")
        if head is None:
            raise GitFailed(f"the repository {self._root} has no commit yet, so nothing has changed since one")
        found = self._answer(["merge-base", base, head], _REVISION_BYTES)
        name = _hash(found)
        if name is None:
            hint = self._when_shallow() or "name a branch that this one came from"
            raise GitFailed(f"--diff-base {revision}: it has no commit in common with HEAD; {hint}")
        return name

    def head(self) -> str:
        """The hash of the commit that is checked out; empty before the first."""
        return self._commit("HEAD") or ""

    def files(self, commit: str) -> list[Blob]:
        """All files of a commit; links and submodules are none."""
        return self._listed(["-r", commit])

    def submodule_at(self, commit: str, path: str) -> str | None:
        """The commit that a commit records for the submodule at a path; None where it has none there."""
        found = self._listed([commit, "--", path], mode=_SUBMODULE)
        return found[0].name if found else None

    def files_at(self, commit: str, paths: Sequence[str]) -> list[Blob]:
        """Those of these paths at which a commit has a file."""
        found: list[Blob] = []
        for start in range(0, len(paths), _AT_ONCE):
            found += self._listed([commit, "--", *paths[start : start + _AT_ONCE]])
        return found

    def contents(self, names: Sequence[str]) -> dict[str, bytes]:
        """The contents with these hashes. What is too large, or not at hand, is left out."""
        if not names:
            return {}
        asked = "".join(f"{name}\n" for name in names).encode()
        sizes = self._must(["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"], asked)
        fitting = []
        for line in sizes.splitlines():
            name, _, rest = line.partition(b" ")
            kind, _, size = rest.partition(b" ")
            if kind == b"blob" and size.isdigit() and int(size) <= SOURCE_BYTES:
                fitting.append(name)
        if not fitting:
            return {}
        data = self._must(["cat-file", "--batch"], b"\n".join(fitting) + b"\n")
        return _unpacked(data)

    def _commit(self, revision: str) -> str | None:
        """The hash of the commit that a revision names; None where there is none."""
        words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
        return _hash(self._answer(words, _REVISION_BYTES))

    def _when_shallow(self) -> str:
        found = self._answer(["rev-parse", "--is-shallow-repository"], _REVISION_BYTES)
        if found is None or found.strip() != b"true":
            return ""
        return (
            "this clone is shallow: run `git fetch --unshallow` and fetch the branch, or set `fetch-depth: 0` for "
            "actions/checkout, `GIT_DEPTH: 0` in GitLab"
        )

    def _listed(self, words: Sequence[str], mode: bytes = _FILE) -> list[Blob]:
        data = self._must(["ls-tree", "-z", "--full-tree", *words])
        found = []
        for row in data.split(b"\0"):
            facts, tab, path = row.partition(b"\t")
            found_mode, _, rest = facts.partition(b" ")
            if tab and found_mode.startswith(mode):
                found.append(Blob(os.fsdecode(path), rest.partition(b" ")[2].decode("ascii", "replace")))
        return found

    def _must(self, words: Sequence[str], given: bytes = b"") -> bytes:
        found = self._answer(words, _MOST_BYTES, given)
        if found is None:
            raise GitFailed(
                f"git cannot read the repository {self._root} (`git {words[0]}` failed); run `git fsck` there"
            )
        return found

    def _answer(self, words: Sequence[str], most_bytes: int, given: bytes = b"") -> bytes | None:
        """What git writes; None where it exits with an error. Raises GitFailed where it does not come to an end."""
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as said:
            asked.write(given)
            asked.seek(0)
            try:
                process = subprocess.Popen(
                    [self._program, *_OPTIONS, *words],
                    cwd=self._root,
                    env=_environment(self._root, os.environ),
                    stdin=asked,
                    stdout=subprocess.PIPE,
                    stderr=said,
                )
            except (OSError, ValueError) as error:
                raise GitFailed(f"git could not be started ({error}); install git, or leave out --diff-base") from error
            assert process.stdout is not None  # it is a pipe
            late = threading.Event()

            def give_up() -> None:
                late.set()
                process.kill()

            timer = threading.Timer(_SECONDS, give_up)
            timer.start()
            try:
                data = process.stdout.read(most_bytes + 1)
                if len(data) > most_bytes:
                    process.kill()
                code = process.wait()
            finally:
                timer.cancel()
                process.kill()
                process.stdout.close()
                process.wait()
            if late.is_set():
                raise GitFailed(f"git took more than {_SECONDS} s in {self._root}; see what `git {words[0]}` waits for")
            if len(data) > most_bytes:
                raise GitFailed(f"git says more of {self._root} than {most_bytes:,} bytes, which is not read")
            said.seek(0)
            complaint = said.read(_REVISION_BYTES)
            if b"dubious ownership" in complaint:
                raise GitFailed(
                    f"git does not read {self._root}, because it belongs to another user; if you trust it, run "
                    f"`git config --global --add safe.directory {self._root}`"
                )
            if b"not a git repository" in complaint or b"cannot use bare repository" in complaint:
                raise GitFailed(f"git takes {self._root} for no repository; repair its .git, or leave out --diff-base")
            return data if code == 0 else None


def _hash(answer: bytes | None) -> str | None:
    """The hash that git has written; None where it is none."""
    name = answer.decode("ascii", "replace").strip() if answer is not None else ""
    return name if len(name) in (40, 64) and _HEXADECIMAL.issuperset(name) else None


def _program() -> str:
    """Where git is. Relative entries of PATH could lead into what is judged."""
    path = os.pathsep.join(entry for entry in os.get_exec_path() if os.path.isabs(entry))
    found = shutil.which("git", path=path)
    if found is None or not os.path.isabs(found):
        raise GitFailed("--diff-base needs git, which is not on the PATH; install it, or leave out --diff-base")
    return found


def _environment(root: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The user's environment without variables of git that point elsewhere, as git sets them for its hooks."""
    kept = {name: value for name, value in environ.items() if not name.startswith("GIT_") or name in _KEPT}
    if _is_users_configuration_in(root, environ):
        kept["GIT_CONFIG_GLOBAL"] = os.devnull
    return kept | {
        # Tracing, which a configuration can turn on, writes to any file.
        **dict.fromkeys(("GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE2_PERF"), "0"),
        # A partial clone fetches what it lacks, by a program that its configuration names.
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CEILING_DIRECTORIES": os.path.dirname(root),
        "LC_ALL": "C",
    }


def _is_users_configuration_in(root: str, environ: Mapping[str, str]) -> bool:
    """Whether what git takes for the user's configuration may be a file of the repository: CI may set HOME to the
    checkout.
    """
    home = environ.get("HOME") or os.path.expanduser("~")
    named = environ.get("GIT_CONFIG_GLOBAL")
    places = (named,) if named else (home, environ.get("XDG_CONFIG_HOME") or home)
    tree = os.path.realpath(root)
    return any(lies_in(os.path.realpath(place), tree) for place in places)


def _unpacked(data: bytes) -> dict[str, bytes]:
    """The contents in what `git cat-file --batch` writes: a line with hash, kind and size, the bytes, a line feed."""
    found: dict[str, bytes] = {}
    place = 0
    while (end := data.find(b"\n", place)) >= 0:
        words = data[place:end].split(b" ")
        place = end + 1
        if len(words) == 3 and words[2].isdigit():
            size = int(words[2])
            found[words[0].decode("ascii", "replace")] = data[place : place + size]
            place += size + 1
    return found
