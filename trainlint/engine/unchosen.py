"""Configurations as texts in keys of the cache, without what has been decided by the time that a file is judged."""

from __future__ import annotations

from functools import lru_cache

from trainlint.finding import Severity
from trainlint.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from trainlint.config import Config

_CHOICE: dict[str, Any] = {
    "root": "",
    "source": None,
    "select": (),
    "extend_select": (),
    "ignore": (),
    "per_file_ignores": (),
    "exclude": (),
    "preview": False,
    "fail_on": Severity.ADVICE,
    "file_time_limit": 0.0,
    "notes": (),
}
"""Settings that choose files and rules, or no finding depends on: which files and rules they chose is named besides."""
_VERDICTS: dict[str, Any] = {"severity": (), "min_confidence": 0.0}
"""Settings that findings depend on, and nothing else does."""


@lru_cache(maxsize=64)
def unchosen(config: Config, *, verdicts: bool = True) -> str:
    """The settings that one file's findings depend on or, without `verdicts`, only those that its model does."""
    return repr(replace(config, **_CHOICE, **({} if verdicts else _VERDICTS)))
