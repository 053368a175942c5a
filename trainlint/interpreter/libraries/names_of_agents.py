"""What names say where an agent learns in an environment."""

from __future__ import annotations

import re
from typing import Final

ENVIRONMENT: Final = re.compile(r"(^|[._])v?(ec_?)?env(ironment)?s?(\[\w+\])?$", re.IGNORECASE)
"""An environment, where it is called `env.step(action)`."""
ACTION: Final = re.compile(r"(\b|_)actions?\b")
"""Code that names an action."""
ACTS: Final = re.compile(r"_?(act|(get|select|choose|sample|take|preprocess)_actions?)(_|$)")
"""Functions that choose an action."""
