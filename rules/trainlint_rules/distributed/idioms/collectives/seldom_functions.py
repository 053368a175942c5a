"""Guards about the function around a collective: functions in which it costs little beside the rest."""

from __future__ import annotations

import re

from trainlint.analysis.site import Site
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

_SELDOM = lazy(r"(^|_)(print|log|summar|report|save|load|checkpoint|generate|rollout|setup|init|eval)", re.IGNORECASE)


@guard
def runs_seldom_by_name(site: Site) -> bool:
    """The function's name says that it saves, logs, sets up, evaluates or generates."""
    return site.function is not None and bool(_SELDOM.search(site.function.name))
