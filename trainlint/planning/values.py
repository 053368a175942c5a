"""Numbers and switches in a configuration, read with errors that people understand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_LIMIT = 1 << 31


class BadConfig(ValueError):
    """A configuration that does not describe a transformer. The message is the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Values:
    """A configuration, and what stands for its missing keys."""

    given: Mapping[str, object]
    defaults: Mapping[str, object] = field(default_factory=dict)

    def get(self, name: str) -> object:
        """The value, or its default; None for neither."""
        value = self.given.get(name)
        return self.defaults.get(name) if value is None else value

    def number(self, *names: str, least: int = 1) -> int | None:
        """The first of these that is there; None for none.

        Raises BadConfig for a value that is no whole number from `least`.
        """
        for name in names:
            value = self.get(name)
            if value is None:
                continue
            if type(value) is not int:
                raise BadConfig(f"gives {name} as {_shown(value)}, which is not a whole number")
            if not least <= value < _LIMIT:
                raise BadConfig(f"gives {name} as {_shown(value)}, which is not from {least} to {_LIMIT - 1:,}")
            return value
        return None

    def needed(self, *names: str, least: int = 1) -> int:
        """The first of these that is there. Raises BadConfig where none is."""
        found = self.number(*names, least=least)
        if found is None:
            raise BadConfig(f"has none of {', '.join(names)}" if len(names) > 1 else f"does not give {names[0]}")
        return found

    def switch(self, name: str) -> bool:
        """Whether a key is true; False where it is missing. Raises BadConfig for what is neither true nor false."""
        value = self.get(name)
        if value is not None and not isinstance(value, bool):
            raise BadConfig(f"gives {name} as {_shown(value)}, which is neither true nor false")
        return bool(value)

    def has_dropout(self) -> bool:
        """Whether activations are dropped anywhere."""
        return any("drop" in key and isinstance(value, float) and value > 0 for key, value in self.given.items())


def _shown(value: object) -> str:
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a number of more than 30 digits"
    return text if len(text) <= 40 else f"{text[:40]}..."
