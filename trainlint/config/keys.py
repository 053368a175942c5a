"""What the configuration table says of a key. The table itself is `trainlint.config.settings.Config`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from trainlint.config.kinds import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Default = TypeVar("Default")
    Table = TypeVar("Table")


class Invalidates(Enum):
    """Which cached results of a file a change of a key makes stale. The result of a whole run depends on all keys."""

    NOTHING = "none"
    """The key chooses files and rules, or how a run ends. Which rules were chosen is part of the cache's keys."""
    FINDINGS = "findings"
    """Rules or the engine read it; the analysis does not."""
    SUMMARIES = "summaries and findings"
    """The analysis reads it."""


@dataclass(frozen=True, slots=True)
class Option:
    """A key's option of `trainlint check`. Its name is that of the key after two hyphens."""

    group: str
    """Under which heading `--help` lists it."""
    metavar: str | None = None
    """None for a switch."""
    adds: bool = False
    """Whether its value is added to that of the file. Otherwise it replaces that."""
    also: str = ""
    """One more word that the option takes, for which the command has a meaning of its own."""
    also_help: str = ""
    """What that word does, as the end of `Key.help`."""


@dataclass(frozen=True, slots=True)
class Key:
    """A row of the table."""

    field: str
    """Its name as an attribute of `Config`."""
    kind: Kind
    default: object
    help: str
    """What the key does, as a sentence without its capital and its full stop."""
    example: object
    """A value as TOML holds it."""
    invalidates: Invalidates
    option: Option | None
    details: str
    """More about it for the page, as Markdown; may be empty."""

    @property
    def name(self) -> str:
        """Its name in a configuration file."""
        return self.field.replace("_", "-")

    @property
    def flag(self) -> str:
        """Its name on the command line, if it has an option."""
        return f"--{self.name}"


class _Row:
    """A row while the class body is read, before the name of its field is known."""

    def __init__(self, **facts: object) -> None:
        self.facts = facts


def key(
    default: Default,
    kind: Kind,
    help: str,
    *,
    example: object,
    invalidates: Invalidates,
    option: Option | None = None,
    details: str = "",
) -> Default:
    """A field of `Config` that a configuration file can set. `Key` describes the arguments."""
    facts = {"default": default, "kind": kind, "help": help, "example": example}
    # `with_keys` puts the default in its place.
    return _Row(**facts, invalidates=invalidates, option=option, details=details)  # type: ignore[return-value]


def with_keys(table: type[Table]) -> type[Table]:
    """Give a class the attribute `keys`, a `Key` for each field made by `key`, and give these fields their defaults.

    It must run before `dataclass`, so it stands below it.
    """
    keys = []
    for name, row in list(vars(table).items()):
        if isinstance(row, _Row):
            keys.append(Key(name, **row.facts))  # type: ignore[arg-type]  # the facts that `key` has collected
            setattr(table, name, row.facts["default"])
    table.keys = tuple(keys)  # type: ignore[attr-defined]  # the class declares it
    return table
