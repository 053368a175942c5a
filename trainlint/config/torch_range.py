"""The torch versions that a project targets, read from version specifiers."""

from __future__ import annotations

from dataclasses import dataclass, field

from trainlint.patterns import lazy

Version = tuple[int, int]

_OF_OTHERS = lazy(r"\^|~(?!=)|=(?!=)|(?=v?\d)")
"""Poetry's and conda's operators, and none."""


@dataclass(frozen=True, slots=True)
class TorchRange:
    """Torch versions by major and minor number; patch releases do not count. At least one bound is set.

    Where `minimum` is None, older versions are not promised: nobody said what the oldest is. What a newer version
    brought may be there or not, unless `maximum` rules it out.
    """

    minimum: Version | None
    """The oldest that is targeted; None where there is no lower bound."""
    maximum: Version | None = None
    """The first that is no longer targeted; None where there is no upper bound."""
    where: str = field(default="", compare=False, repr=False)
    """The file and line that states the oldest, as in "setup.py:12"; empty for a setting."""

    def __str__(self) -> str:
        """As a specifier, as in ">=2.4,<2.14"."""
        bounds = ((">=", self.minimum), ("<", self.maximum))
        return ",".join(f"{sign}{version[0]}.{version[1]}" for sign, version in bounds if version is not None)

    def has(self, since: Version) -> bool:
        """Whether each targeted version is known to have what came with version `since`."""
        return self.minimum is not None and self.minimum >= since

    def lacks(self, since: Version) -> bool:
        """Whether some targeted version is known to lack what came with version `since`."""
        return self.minimum < since if self.minimum is not None else not self.reaches(since)

    def reaches(self, version: Version) -> bool:
        """Whether `version` or a newer one is targeted."""
        return self.maximum is None or self.maximum > version


def parse_torch_range(text: str) -> TorchRange | None:
    """Read ">=2.4", ">=2.4,<2.14", "<2.3", "==2.4.1", "~=2.4", Poetry's "^2.4", or "2.4" for "2.4 or newer".

    None when it sets no bound. Raises ValueError, with a sentence, for what is no version or admits none.
    """
    minima: list[Version] = []
    maxima: list[Version] = []
    clauses = [clause.strip() for clause in text.strip().strip("()").split(",")]
    for clause in clauses[:-1] if clauses[-1] == "" and len(clauses) > 1 else clauses:
        lower, upper = _bounds(clause)
        minima += [lower] if lower else []
        maxima += [upper] if upper else []
    if not minima and not maxima:
        return None
    found = TorchRange(max(minima, default=None), min(maxima, default=None))
    if found.minimum is not None and not found.reaches(found.minimum):
        raise ValueError(f'"{text.strip()}" admits no version')
    return found


def _bounds(clause: str) -> tuple[Version | None, Version | None]:
    """The first version let in and the first one shut out. Raises ValueError."""
    if clause == "*":  # Poetry's word for any version
        return None, None
    operator, release, is_any = _read(clause)
    major, minor, patch = (*release, 0, 0)[:3]
    version, after_minor, after_major = (major, minor), (major, minor + 1), (major + 1, 0)
    match operator:
        case "" | ">=" | ">":
            return version, None
        case "<":
            # "<2.6.1" still lets 2.6.0 in.
            return None, after_minor if patch else version
        case "<=":
            return None, after_minor
        case "==" | "===" | "=":
            return version, after_major if is_any and len(release) == 1 else after_minor
        case "~=":
            return version, after_minor if len(release) > 2 else after_major
        case "~":
            return version, after_minor if len(release) > 1 else after_major
        case "^":
            return version, after_minor if major == 0 else after_major
    return None, None  # "!=" shuts one version out and bounds nothing


def _read(clause: str) -> tuple[str, tuple[int, ...], bool]:
    """The operator, the numbers of the version, and whether more numbers may follow them. Raises ValueError."""
    from packaging.specifiers import InvalidSpecifier, Specifier  # few runs name a version, and it costs 20 ms
    from packaging.version import Version as AnyVersion

    own = _OF_OTHERS.match(clause)
    try:
        specifier = Specifier(f"=={clause[own.end() :].strip()}" if own else clause)
        release = AnyVersion(specifier.version.removesuffix(".*")).release
    except (InvalidSpecifier, ValueError) as error:
        raise ValueError(f'"{clause}" is no version; write one such as ">=2.4"') from error
    operator = own[0] if own else specifier.operator
    # Conda's "=2" is any 2.
    return operator, release, operator == "=" or specifier.version.endswith(".*")
