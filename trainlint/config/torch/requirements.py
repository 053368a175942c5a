"""Requirements as pip reads them (PEP 508): one of them, or a file of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trainlint.config.torch.companions import COMPANIONS, range_by_companion
from trainlint.config.torch_range import TorchRange, parse_torch_range

LONGEST = 2_000
"""In characters. People's requirements are far shorter, and their parser may take longer than linear time."""
_INCLUDES = ("-r", "--requirement", "-c", "--constraint")


@dataclass(frozen=True, slots=True)
class Requirements:
    """What a file says of torch."""

    ranges: tuple[TorchRange, ...] = ()
    """One for each requirement of torch that bounds its version."""
    includes: tuple[str, ...] = ()
    """The files that it includes by `-r` or `-c`, as they are written."""


def range_of_requirement(text: str) -> TorchRange | None:
    """What a requirement such as "torch>=2.4 ; sys_platform == 'linux'" or the URL of a wheel lets in.

    "torchvision==0.8" implies a version of torch, too. None for other packages, for no bound, and for what is no
    requirement.
    """
    text = text.strip()
    if len(text) > LONGEST:
        return None
    if ".whl" in text and " " not in text:  # a path or URL alone
        return range_of_wheel(text)
    if text[:5].lower() != "torch" or (text[5:6].isalnum() and not text.lower().startswith(COMPANIONS)):
        return None
    from packaging.requirements import InvalidRequirement, Requirement  # 30 ms

    try:
        found = Requirement(text)
    except InvalidRequirement:  # the installer will complain of it
        return None
    name = found.name.lower()
    if name in COMPANIONS:
        named = range_of_specifier(str(found.specifier))
        return range_by_companion(name, named) if named is not None else None
    if name != "torch":
        return None
    return range_of_wheel(found.url) if found.url else range_of_specifier(str(found.specifier))


def range_of_specifier(text: str) -> TorchRange | None:
    """What a specifier lets in; None for no bound and for what is no specifier."""
    if not text or len(text) > LONGEST:
        return None
    try:
        return parse_torch_range(text)
    except ValueError:
        return None


def range_of_version(text: str) -> TorchRange | None:
    """The minor version that a version such as "2.4.1+cu118" belongs to."""
    return range_of_specifier(f"=={text}")


def range_of_wheel(place: str) -> TorchRange | None:
    """The version in the name of a wheel of torch, by its path or URL."""
    from urllib.parse import unquote

    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    file = unquote(place.partition("#")[0].partition("?")[0]).replace("\\", "/").rpartition("/")[2]
    try:
        name, version, _, _ = parse_wheel_filename(file)
    except (InvalidWheelFilename, ValueError):
        return None
    return range_of_version(str(version)) if name == "torch" else None


def in_requirements(text: str) -> Requirements:
    """What a requirements file says of torch."""
    ranges: list[TorchRange] = []
    includes: list[str] = []
    for line in _logical_lines(text):
        if line.startswith("-"):
            includes += _included(line)
        elif found := range_of_requirement(line.partition(" --")[0]):
            ranges.append(found)
    return Requirements(tuple(ranges), tuple(includes))


def _logical_lines(text: str) -> Iterator[str]:
    """The lines without comments; one that ends in a backslash goes on in the next."""
    parts: list[str] = []
    for line in text.splitlines():
        goes_on = line.endswith("\\")
        parts.append(line[:-1] if goes_on else line)
        if goes_on:
            continue
        # pip takes `#` for a comment at the start of a line and after a space; `torch.whl#sha256=` is none.
        yield f" {''.join(parts)}".replace("\t", " ").partition(" #")[0].strip()
        parts = []
    if parts:
        yield "".join(parts).strip()


def _included(line: str) -> Iterator[str]:
    """The file that an option such as `-r base.txt` or `--constraint=versions.txt` names."""
    if len(line) > LONGEST:
        return
    for option in _INCLUDES:
        rest = line.removeprefix(option)
        if rest != line and (not option.startswith("--") or rest[:1] in " ="):
            name = rest.lstrip(" =").strip("\"'")
            if name and "://" not in name:
                yield name
            return
