"""Which PyTorch a project states: in requirements, pyproject.toml, setup files, conda environments, images and READMEs.

Each is read line by line as text, and nothing is executed. The files of a directory count, and those of the directories
above it up to the repository's; outside of a repository, up to the first directory that states something or marks a
project. Where several disagree, the oldest counts: a fix may write only what all of them have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from trainlint.bounded import REQUIREMENTS_BYTES, UnfitFile, leads_out, read_bounded
from trainlint.paths import absolute, shown_here
from trainlint.patterns import lazy
from trainlint.project import PROJECT_FILES, project_around, repository_around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.torch_range import TorchRange

MOST_FILES = 20
"""For one directory, with those above it. Projects have a handful."""
MOST_BYTES = 2_000_000
"""Of all these files: no further one is read behind so many."""
_LONGEST = 2_000
"""In characters. A line that people write is far shorter."""
_MARKS = frozenset(PROJECT_FILES) - {"trainlint.toml"}
_FOLDERS = ("requirements", "docker")
"""What lies in these directories counts for the one around them."""
_FILE = lazy(
    r"pyproject\.toml|setup\.(?:py|cfg)|requirements.*\.txt|(?:environment|conda).*\.ya?ml|Dockerfile(?:\..*)?"
    r"|(?P<readme>(?i:readme(?:[^a-z0-9.][^.]*)?(?:\.(?:md|rst|txt))?))"
)
_CLAUSE = r"(?:[<>=!~]=?=?|\^)\s{0,9}v?\d[\w.+*]{0,40}"
_REQUIREMENT = lazy(
    r"(?<![\w./-])(?:py)?torch(?:-[cg]pu)?(?:\[[\w, -]{0,99}\])?\s{0,9}\(?\s{0,9}"
    rf"({_CLAUSE}(?:\s{{0,9}},\s{{0,9}}{_CLAUSE}){{0,9}})",
    re.IGNORECASE,
)
"""`torch>=1.7,<2`, `torch[opt-einsum] == 2.1`, conda's `pytorch=1.7.1=py3.8_cuda11.0`."""
_OF_POETRY = lazy(r"^torch\s{0,9}=\s{0,9}(?:\{\s{0,9}version\s{0,9}=\s{0,9})?[\"']([^\"']{1,99})")
_RELEASE = lazy(
    r"(?<![\w-])torch-(\d[\w.]{0,40})(?:%2B|\+|-)[^\s/]{0,200}\.whl|(?<![\w-])pytorch/pytorch:(\d[\w.]{0,40})",
    re.IGNORECASE,
)
"""A wheel by its name, an image by its tag."""
_SENTENCE = lazy(
    r"(?<![\w./-])(?:py)?torch\]?(?:\([^()\s]{0,200}\))?[\s*`_(:]{0,4}(?:versions?\s{0,2})?"
    r"((?:>=?|≥)?[\s*`]{0,3}v?[0-2]\.\d{1,2})(?:\.\d{1,3})?(?![\w.-]*\d)",
    re.IGNORECASE,
)
"""`PyTorch 1.7.1`, `[PyTorch](https://pytorch.org) version >= 1.5`."""
_NEEDED = lazy(
    r"^[\W\d]{0,20}(?:python\b.{0,20})?$|(?:requir|prerequisite|depend|install|test|implement|environment|"
    r"\b(?:runs?|works?|built|based|developed) (?:with|on|in|using)\b)[^;]{0,40}$",
    re.IGNORECASE,
)
"""Before a version in a README: an item of a list, or words that say what is needed."""
_CONDITIONAL = lazy(r"\b(?:if|when|whether|for|since|before|until|support\w*)\b[^.;]{0,40}$", re.IGNORECASE)
"""Before a version: "if you have PyTorch 2.0" says what a part of the code needs."""
_BEFORE = 80
"""So many characters before a version are looked at, which are more than these patterns take."""
_COMMENT = lazy(r"(?:^|\s)#.*")


@dataclass(frozen=True, slots=True)
class TargetTorch:
    """The torch versions that a project's own files state."""

    versions: TorchRange | None = None
    """None where no file sets a bound."""
    notes: tuple[str, ...] = ()
    """What was not read, and why: sentences for people."""


def is_read(name: str) -> bool:
    """Whether a file or directory of this name may state which torch versions are targeted."""
    return name in _FOLDERS or _FILE.fullmatch(name) is not None


def find_target_torch(directory: Path) -> TargetTorch:
    """The torch versions that the files of a directory and of those above it state, within its project.

    What cannot be read or understood states no version.
    """
    start = absolute(directory)
    repository = repository_around(str(start))
    files = _Files()
    for place in (start, *start.parents):
        names = _names_in(place)
        project = Path(project_around(str(place)) or place)
        for path in sorted(_candidates(place, names)):
            files.read(path, project)
        if str(place) == repository or (repository is None and (files.stated or not names.isdisjoint(_MARKS))):
            break
    return TargetTorch(_oldest(files.stated), tuple(files.notes))


class _Files:
    """The files that were asked, and what they state."""

    def __init__(self) -> None:
        self.stated: list[TorchRange] = []
        self.notes: list[str] = []
        self._files, self._bytes = MOST_FILES, MOST_BYTES

    def read(self, path: Path, project: Path) -> None:
        """Read a file, or note why it is not read."""
        try:
            if self._files <= 0 or self._bytes <= 0:
                raise UnfitFile(0, "only so much is read for one directory")
            if leads_out(path, project):
                raise UnfitFile(0, "it leads out of the project")
            data = read_bounded(path, REQUIREMENTS_BYTES)
        except UnfitFile as error:
            if not path.is_dir():
                self.notes.append(f"{shown_here(path)} was not read for versions of torch: {error.strerror}")
        except (OSError, ValueError):
            pass  # This only finds a default: a file that is missing or out of reach is left to others to complain of.
        else:
            self._files -= 1
            self._bytes -= len(data)
            name = _FILE.fullmatch(path.name)
            found = _stated(data, is_readme=name is not None and name["readme"] is not None)
            self.stated += (replace(each, where=f"{shown_here(path)}:{each.where}") for each in found)


def _oldest(stated: Sequence[TorchRange]) -> TorchRange | None:
    """The oldest lower bound, with the newest upper bound where each statement has one or the others are only such."""
    caps = [found.maximum for found in stated if found.minimum is None and found.maximum is not None]
    known = sorted((found for found in stated if found.minimum is not None), key=lambda found: found.minimum or (0, 0))
    if not known:
        return max(stated, key=lambda found: found.maximum or (0, 0), default=None)
    oldest, maxima = known[0], [found.maximum for found in known if found.maximum is not None]
    newest = max(maxima) if len(maxima) == len(known) else max(caps, default=None)
    return replace(oldest, maximum=newest if newest is None or newest > (oldest.minimum or newest) else None)


def _candidates(place: Path, names: frozenset[str]) -> Iterator[Path]:
    yield from (place / name for name in names if _FILE.fullmatch(name))
    for folder in names.intersection(_FOLDERS):
        within = place / folder
        yield from (within / name for name in _names_in(within) if name.startswith("Dockerfile") or name[-4:] == ".txt")


def _names_in(place: Path) -> frozenset[str]:
    try:
        return frozenset(child.name for child in place.iterdir())
    except OSError:
        return frozenset()


@lru_cache(maxsize=64)  # one file is near to many directories
def _stated(data: bytes, *, is_readme: bool) -> tuple[TorchRange, ...]:
    """What a file states, with the line as `where`."""
    from trainlint.config.torch_range import parse_torch_range

    found: dict[str, TorchRange] = {}
    for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), 1):
        if len(line) > _LONGEST or "torch" not in line.lower():
            continue
        for specifier in _in_readme(line) if is_readme else _in_line(_COMMENT.sub("", line)):
            try:
                stated = None if specifier in found else parse_torch_range(specifier.rstrip("."))
            except ValueError:  # the installer will complain of it
                continue
            if stated is not None:
                found[specifier] = replace(stated, where=str(number))
    return tuple(found.values())


def _in_line(line: str) -> Iterator[str]:
    """Each version specifier of torch in a line."""
    yield from (match[1] for match in _REQUIREMENT.finditer(line))
    yield from (f"=={match[1] or match[2]}" for match in _RELEASE.finditer(line))
    if match := _OF_POETRY.match(line):
        # Poetry takes a version alone for exactly this one.
        yield from (f"{'==' * part.strip()[:1].isdigit()}{part.strip()}" for part in match[1].split("||"))


def _in_readme(line: str) -> Iterator[str]:
    """The same for a line of prose, where a version counts only if it is what one installs or needs."""
    if "install" in line.lower() and _REQUIREMENT.search(line):
        yield from _in_line(line)
        return
    for pattern in (_REQUIREMENT, _SENTENCE):
        if needed := [match[1].replace("≥", ">=") for match in pattern.finditer(line) if _is_needed(match)]:
            yield from needed
            break
    yield from (f"=={match[1] or match[2]}" for match in _RELEASE.finditer(line))


def _is_needed(match: re.Match[str]) -> bool:
    """Whether a sentence says that a version is needed, or was used."""
    before = match.string[max(0, match.start() - _BEFORE) : match.start()]
    return bool(_NEEDED.search(before)) and not _CONDITIONAL.search(before)
