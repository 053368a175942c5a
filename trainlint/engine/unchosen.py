"""Configurations as texts in keys of the cache, without what has been decided by the time that a file is judged."""

from __future__ import annotations

from functools import lru_cache

from trainlint.config.keys import Invalidates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config import Config


@lru_cache(maxsize=64)
def unchosen(config: Config, *, verdicts: bool = True) -> str:
    """The settings that one file's findings depend on or, without `verdicts`, only those that its summary does."""
    counting = {Invalidates.SUMMARIES, Invalidates.FINDINGS} if verdicts else {Invalidates.SUMMARIES}
    return repr([(key.name, getattr(config, key.field)) for key in config.keys if key.invalidates in counting])
