"""The torch versions that a project targets, read from version specifiers."""

from __future__ import annotations

from trainlint.patterns import lazy
from trainlint.records import dataclass

Version = tuple[int, int]

_CLAUSE = lazy(r"(?P<operator>~=|==|!=|>=|<=|>|<|\^|~|=|)\s*v?(?P<version>\d[\w.+*-]*|\*)")
_NUMBERS = lazy(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?")


@dataclass(frozen=True, slots=True, order=True)
class TorchRange:
    """Torch versions by major and minor number; patch releases do not count."""

    minimum: Version
    """The oldest that is targeted."""
    maximum: Version | None = None
    """The first that is no longer targeted; None where there is no upper bound."""

    def __str__(self) -> str:
        """As a specifier, as in ">=2.4,<2.14"."""
        lower = f">={_dotted(self.minimum)}"
        return lower if self.maximum is None else f"{lower},<{_dotted(self.maximum)}"


def parse_torch_range(text: str) -> TorchRange | None:
    """Read ">=2.4", ">=2.4,<2.14", "==2.4.1", "~=2.4", Poetry's "^2.4", or "2.4" for "2.4 or newer".

    None when it sets no lower bound. Raises ValueError, with a sentence, for what is no version or admits none.
    """
    ranges = [_parse_alternative(alternative) for alternative in text.split("||")]
    known = [found for found in ranges if found is not None]
    return widest(known) if len(known) == len(ranges) else None


def widest(ranges: list[TorchRange]) -> TorchRange:
    """From the lowest minimum to the highest maximum of at least one range."""
    maxima = [found.maximum for found in ranges if found.maximum is not None]
    return TorchRange(min(found.minimum for found in ranges), max(maxima) if len(maxima) == len(ranges) else None)


def _parse_alternative(text: str) -> TorchRange | None:
    minima: list[Version] = []
    maxima: list[Version] = []
    clauses = [clause.strip() for clause in text.strip().strip("()").split(",")]
    if clauses[-1] == "" and len(clauses) > 1:
        clauses.pop()
    for clause in clauses:
        match = _CLAUSE.fullmatch(clause)
        if match is None:
            raise ValueError(f'"{clause}" is no version; write one such as ">=2.4"')
        lower, upper = _bounds(match["operator"], match["version"])
        minima += [lower] if lower else []
        maxima += [upper] if upper else []
    if not minima:
        return None
    found = TorchRange(max(minima), min(maxima) if maxima else None)
    if found.maximum is not None and found.maximum <= found.minimum:
        raise ValueError(f'"{text.strip()}" admits no version')
    return found


def _bounds(operator: str, text: str) -> tuple[Version | None, Version | None]:
    """The first version let in and the first one shut out."""
    numbers = _NUMBERS.match(text)
    if numbers is None:  # Poetry's "*"
        return None, None
    major, minor, patch = (int(part) if part else 0 for part in numbers.groups())
    parts_given = sum(part is not None for part in numbers.groups())
    version, after_minor, after_major = (major, minor), (major, minor + 1), (major + 1, 0)
    match operator:
        case "" | ">=" | ">":
            return version, None
        case "<":
            # "<2.6.1" still lets 2.6.0 in.
            return None, after_minor if patch else version
        case "<=":
            return None, after_minor
        case "==" | "=":
            return version, after_major if text == f"{major}.*" else after_minor
        case "~=":
            return version, after_minor if patch or parts_given > 2 else after_major
        case "~":
            return version, after_minor if parts_given > 1 else after_major
        case "^":
            return version, after_minor if major == 0 else after_major
        case _:  # "!=" shuts one version out and bounds nothing
            return None, None


def _dotted(version: Version) -> str:
    return f"{version[0]}.{version[1]}"
