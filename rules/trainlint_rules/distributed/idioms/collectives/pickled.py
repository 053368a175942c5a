"""Python objects that a function pickles itself, sends as tensors, and unpickles on the other ranks."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import position
from trainlint.analysis.tables.collectives import BRINGING_TOGETHER, BROADCAST, COLLECTIVES, OF_OBJECTS

SENDING = tuple(sorted(((BRINGING_TOGETHER & COLLECTIVES) | {BROADCAST.name}) - OF_OBJECTS))
"""The collectives that may carry the bytes."""
_MODULES = ("pickle.", "_pickle.", "cloudpickle.", "dill.", "torch.save")
_WRITING = ("dumps", "dump", "Pickler", "save")
_READING = ("loads", "load", "Unpickler")


def sends_pickled(site: Site) -> bool:
    """Whether a collective is the last of a function that pickles what it sends and unpickles what it gets."""
    if site.function is None or collective(site.file, site.call, site.block) is None:
        return False
    return _pickles(site, *_WRITING) and _pickles(site, *_READING) and site.call is _last_sent(site)


def _pickles(site: Site, *names: str) -> bool:
    return any(
        other.function is site.function and (site.origin(other.call.func) or "").startswith(_MODULES)
        for other in site.calls(*names)
    )


def _last_sent(site: Site) -> ast.Call | None:
    sent = [
        other.call
        for other in site.calls(*SENDING)
        if other.function is site.function and collective(site.file, other.call, other.block) is not None
    ]
    return max(sent, key=position, default=None)
