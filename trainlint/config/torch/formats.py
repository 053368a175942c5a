"""What one file states of the PyTorch versions of its project: requirements, images, commands that install it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from trainlint.bounded import CONDA_BYTES, LOCK_BYTES, REQUIREMENTS_BYTES, SHIPPED_BYTES
from trainlint.config.toml import parse_toml
from trainlint.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from trainlint.config.torch_range import TorchRange

    Stated = tuple[tuple[TorchRange, ...], tuple[str, ...]]

_LONGEST = 2_000
"""In characters. A line that people write is far shorter."""
FOLDERS = ("requirements", "docker")
"""What lies in these directories counts for the one around them."""

_KIND = lazy(
    r"(?P<toml>pyproject\.toml)|(?P<python>setup\.py)|(?P<conda>(?:environment|conda).*\.ya?ml)"
    r"|(?P<image>Dockerfile(?:\..*)?)|(?P<readme>(?i:readme(?:[^a-z0-9.][^.]*)?(?:\.(?:md|rst|txt))?))"
    r"|(?P<lock>(?:uv|poetry|pdm)\.lock)|(?P<lines>setup\.cfg|requirements.*\.txt)"
)
"""How a file is read, by its name."""
_LINES = ("lines", "image")
_BOUNDS = {"conda": CONDA_BYTES, "readme": SHIPPED_BYTES, "lock": LOCK_BYTES}

_CLAUSE = r"(?:[<>=!~]=?=?|\^)\s{0,9}v?\d[\w.+*]{0,40}"
_REQUIREMENT = lazy(
    r"(?<![\w./-])(?:py)?torch(?:-[cg]pu)?(?:\[[\w, -]{0,99}\])?\s{0,9}\(?\s{0,9}"
    rf"({_CLAUSE}(?:\s{{0,9}},\s{{0,9}}{_CLAUSE}){{0,9}})",
    re.IGNORECASE,
)
"""`torch>=1.7,<2`, `torch[opt-einsum] == 2.1`, `torch ^2.0`, conda's `pytorch=1.7.1=py3.8_cuda11.0`."""
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
_MENTION = lazy(
    r"(?<![\w./-])(?:py)?torch\]?(?:\([^()\s]{0,200}\))?[^\w\n]{0,8}(?:(?:versions?|since|from)[^\w\n]{0,8})?"
    r"v?([0-2])\.(\d{1,2})(?!\d)",
    re.IGNORECASE,
)
"""A version that a README names in whatever sentence, table or heading."""
_NEEDED = lazy(
    r"^[\W\d]{0,20}(?:python\b.{0,20})?$|(?:requir|prerequisite|depend|install|test|implement|environment|"
    r"\b(?:runs?|works?|built|based|developed) (?:with|on|in|using)\b)[^;]{0,40}$",
    re.IGNORECASE,
)
"""Before a version: an item of a list, or words that say what is needed."""
_BEFORE = 80
"""So many characters before a version are looked at, which are more than these patterns take."""
_CONDITIONAL = lazy(r"\b(?:if|when|whether|for|since|before|until|support\w*)\b[^.;]{0,40}$", re.IGNORECASE)
"""Before a version: "if you have PyTorch 2.0" says what a part of the code needs."""
_LOCKED = lazy(r'^name = "torch"\nversion = "(\d[\d.]*)', re.MULTILINE)
_INCLUDE = lazy(r"\s*(?:-r|-c|--requirement|--constraint)[\s=]\s*[\"']?([^\s\"']+)")
_COMMENT = lazy(r"(?:^|\s)#.*")
_DEFAULT = lazy(r"^[ \t]{0,40}(?:ARG|ENV)[ \t]{1,40}(\w+)[= ][\"']?([\w.+]+)", re.MULTILINE)
_USE = lazy(r"\$\{?(\w+)\}?")


def kind_of(name: str) -> str:
    """How a file of this name is read; empty where it is not expected to state anything of torch."""
    match = _KIND.fullmatch(name)
    return (match.lastgroup or "") if match else ""


def is_read(name: str) -> bool:
    """Whether a file or directory of this name may state which torch versions are targeted."""
    return name in FOLDERS or bool(kind_of(name))


def bound(name: str) -> int:
    """The most bytes that are read of a file of this name."""
    return _BOUNDS.get(kind_of(name), REQUIREMENTS_BYTES)


def stated_in(name: str, data: bytes) -> Stated:
    """What a file of this name states, with the line of the oldest as `where`, and which files it includes.

    One without a kind of its own holds requirements, as pip reads them.
    """
    kind = kind_of(name) or "lines"
    # Lock files are too large to be remembered; others are near to many directories.
    return _stated_in(kind, data) if kind == "lock" else _remembered(kind, data)


def _stated_in(kind: str, data: bytes) -> Stated:
    text = data.decode("utf-8-sig", "replace")
    lines = text.splitlines()
    included = [match[1] for line in lines if kind in _LINES and (match := _INCLUDE.match(line[:_LONGEST]))]
    includes = tuple(name for name in included if "://" not in name)
    if "torch" not in text.lower():  # parsers cost time to import
        return (), includes
    ranges = _ranges(kind, text, lines)
    oldest = min(ranges, key=lambda found: found.minimum or (99, 0), default=None)
    line = _line_of(lines, oldest.where) if oldest is not None and oldest.where else ""
    return tuple(replace(found, where=line) for found in ranges), includes


def _ranges(kind: str, text: str, lines: list[str]) -> list[TorchRange]:
    """What a file states, each with its words."""
    from trainlint.config.torch_range import TorchRange, parse_torch_range

    ranges = []
    for specifier in dict.fromkeys(_specifiers(kind, text, lines)):
        try:
            found = parse_torch_range(specifier)
        except ValueError:  # the installer will complain of it
            continue
        if found is not None:
            # What is locked is written anew with each update, so it is no upper bound.
            ranges.append(replace(found, maximum=None if kind == "lock" else found.maximum, where=specifier))
    if kind == "readme":
        mentions = [match for line in lines for match in _MENTION.finditer(line[:_LONGEST])]
        mentioned = min(((int(match[1]), int(match[2])) for match in mentions), default=None)
        ranges.append(TorchRange(None, mentioned=mentioned))
    return ranges


_remembered = lru_cache(maxsize=64)(_stated_in)


def _line_of(lines: list[str], specifier: str) -> str:
    """The first line that names torch and this version; else the first that names torch."""
    version = specifier.lstrip("<>=!~^ v")
    naming = [number for number, line in enumerate(lines, 1) if "torch" in line.lower()]
    return str(next((number for number in naming if version in lines[number - 1]), naming[0]))


def _specifiers(kind: str, text: str, lines: list[str]) -> Iterator[str]:
    """Each version specifier of torch in a file."""
    if kind == "lock":
        yield from (f"=={match[1]}" for match in _LOCKED.finditer(text))
    elif kind in _TEXTS:
        lines = [line for found in _TEXTS[kind](text) for line in found.splitlines()]
    elif kind in _LINES:
        defaults = dict(_DEFAULT.findall(text)) if kind == "image" else {}
        lines = [_USE.sub(lambda use: defaults.get(use[1], ""), _COMMENT.sub("", line)) for line in lines]
    for line in lines if kind != "lock" else ():
        if len(line) <= _LONGEST and "torch" in line.lower():
            yield from _in_line(line, with_sentences=kind == "readme")


def _in_line(line: str, *, with_sentences: bool) -> Iterator[str]:
    stated = list(_REQUIREMENT.finditer(line))
    if with_sentences and not (stated and "install" in line.lower()):
        stated = list(filter(_is_needed, stated or _SENTENCE.finditer(line)))
    yield from (match[1].replace("≥", ">=").rstrip(".") for match in stated)
    yield from (f"=={match[1] or match[2]}".rstrip(".") for match in _RELEASE.finditer(line))


def _is_needed(match: re.Match[str]) -> bool:
    """Whether a sentence says that a version is needed, or was used."""
    before = match.string[max(0, match.start() - _BEFORE) : match.start()]
    return bool(_NEEDED.search(before)) and not _CONDITIONAL.search(before)


def _texts_of_toml(text: str) -> Iterator[str]:
    """Each text (PEP 621, PEP 735, PDM, uv), and what Poetry gives to the key `torch`."""
    try:
        waiting: list[object] = [parse_toml(text)]
    except ValueError:
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += value.values()
            given = value.get("torch")
            for one in given if isinstance(given, list) else [given]:
                version = one.get("version") if isinstance(one, dict) else one
                for part in version.split("||") if isinstance(version, str) else ():
                    # Poetry takes a version alone for exactly this one.
                    yield f"torch {'==' * part.strip()[:1].isdigit()}{part.strip()}"
        elif isinstance(value, list):
            waiting += value


def _texts_of_yaml(text: str) -> Iterator[str]:
    """Each scalar. Nodes are read as they stand and each once, so that aliases of aliases cost nothing."""
    import yaml

    try:
        waiting: list[Any] = [yaml.compose(text, Loader=yaml.SafeLoader)]
    except (yaml.YAMLError, RecursionError, ValueError):
        return
    seen = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.ScalarNode):
            yield node.value
        elif isinstance(node, yaml.CollectionNode) and id(node) not in seen:
            seen.add(id(node))
            waiting += (part for item in node.value for part in (item if isinstance(item, tuple) else (item,)))


def _texts_of_python(text: str) -> Iterable[str]:
    """Each literal text: requirements stand in `install_requires`, in a list above it, or in a table of versions."""
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes are no matter of ours
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    nodes = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return [value for value in nodes if isinstance(value, str)]


_TEXTS = {"toml": _texts_of_toml, "conda": _texts_of_yaml, "python": _texts_of_python}
