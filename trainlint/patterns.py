"""Regular expressions that are compiled when they are first searched for.

The model has large tables of names as frameworks and people write them. To compile them takes ten times as long as to
judge a small file, and one file needs few of them.

A pattern that is searched in a text of any length bounds its repetitions, as in `[a-z]{0,50}`, where a search could
begin anew within what was repeated: otherwise a very long name takes quadratic time.
"""

from __future__ import annotations

import re

__all__ = ["lazy"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import compile as lazy
else:

    class lazy:  # noqa: N801 - it stands where `re.compile` would
        """What `re.compile` makes of a pattern, as soon as anything is asked of it."""

        def __init__(self, pattern, flags=0):
            self.pattern = pattern
            self._flags = flags

        def __getattr__(self, name):
            if name.startswith("__"):  # what copies and pickles ask for
                raise AttributeError(name)
            compiled = re.compile(self.pattern, self._flags)
            # From now on, these are found without a detour.
            self.search, self.match, self.fullmatch = compiled.search, compiled.match, compiled.fullmatch
            self.finditer, self.findall, self.sub = compiled.finditer, compiled.findall, compiled.sub
            return getattr(compiled, name)
