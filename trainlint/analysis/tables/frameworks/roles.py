"""How hot a function is because a framework calls it: by the bases of its class, its decorators and its name.

The bases decide where they lead to a framework that is known. Names alone are weak evidence: they count only
in classes that look like a part of a trainer. `forward` is no hook, since it does not say who calls it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from trainlint.analysis.tables.frameworks.hooks import (
    EPOCH_NAMES,
    EVAL_NAMES,
    FRAMEWORKS,
    NAMES_WITHOUT_GRADIENTS,
    OBSERVER_ONCE_NAMES,
    OBSERVER_STEP_NAMES,
    STEP_NAMES,
    Framework,
)
from trainlint.finding import IN_WORKERS, Heat
from trainlint.patterns import lazy

NAMES = 4096
"""Of so many names and classes the answer is remembered."""
_TRAINER = lazy(r"Module|Trainer|Brain|Callback|Hook|Task|Engine|Recipe|Model|Runner|Learner|System", re.IGNORECASE)
"""What classes are called whose methods a trainer calls."""
_OBSERVER = lazy(r"Callback|Hook|Observer|Plugin", re.IGNORECASE)
_DATASET = lazy(r"Dataset|\w(Data|Folder)$")
_DATA_PARTS = lazy(r"Dataset|Data(Module)?$|Folder$|Collat", re.IGNORECASE)
_ITERATED = lazy(r"Iterable|Stream|IterDataPipe")
_COLLATOR = lazy(r"Collat", re.IGNORECASE)
_MAKES_COLLATE = lazy(r"^_?(get|make|build|create|setup|register|init|load|select|resolve)_")
_ENTRY_POINT = lazy(
    r"^(hydra\.main\b|(\w+\.)*command\b|(\w+\.)*record$|(\w+\.)*config\.parse$|(draccus|pyrallis)\.wrap\b)"
)
"""Decorators of a program's entry: what they decorate runs once."""
_HANDLER = lazy(r"(?=.*\)$)(?P<engine>.*)\.on\((?P<events>.*)\)$", re.DOTALL)
_EVENT = lazy(r"Events\.(?P<name>[A-Z_]+)(?P<filter>\([^()]*(\([^()]*\)[^()]*)?\))?")
_EVERY = lazy(r"\bevery=(?P<count>\w+)")
_EVALUATES = lazy(r"eval|valid|test", re.IGNORECASE)
_PLAIN_BASES = lazy(r"^(object|torch\.nn\.(modules\.)?\w+|nn\.Module|Module|(abc\.)?ABC|typing\..*|Generic)$")
"""Bases behind which no framework stands."""

_SURE = 0.95
_LIKELY = 0.9
_BY_NAME = 0.75
"""The class is only called like a part of a trainer."""


class Role(NamedTuple):
    """How often a framework calls a function, how sure that is from 0 to 1, and why in words."""

    heat: Heat
    confidence: float
    why: str


def role(
    name: str, qualified_name: str, owner: str | None, bases: tuple[str, ...], decorators: tuple[str, ...]
) -> Role | None:
    """The role of a function; None where no framework is known to call it.

    `owner` is the name of its class, `bases` the dotted origins (or names) of all known base classes, nearest
    first, and `decorators` the source of what stands behind each `@`.
    """
    found = _decorated(qualified_name, decorators)
    if found is not None:
        return found
    if owner is None:
        return _collates(name, qualified_name) if "collate" in name else None
    looks = _looks(owner, bases)
    return (
        _in_worker(name, qualified_name, looks)
        or _of_framework(name, qualified_name, bases)
        or _by_name(name, qualified_name, looks)
    )


def gradients_off(name: str, owner: str | None, bases: tuple[str, ...]) -> bool:
    """Whether a framework calls this function with autograd off.

    Lightning does so for validation, test and prediction (`_no_grad_context` of its loops), mmengine for each
    batch of them, SpeechBrain for `evaluate_batch`, Composer for all events of evaluation. `transformers.Trainer`
    leaves it to the method.
    """
    if owner is None:
        return False
    for framework in _frameworks(bases):
        return framework.without_gradients.fullmatch(name) is not None
    return _looks(owner, bases).based and NAMES_WITHOUT_GRADIENTS.fullmatch(name) is not None


class _Looks(NamedTuple):
    """What a class is by the names of itself and of its bases."""

    based: bool
    """A framework may stand behind it."""
    dataset: bool
    iterated: bool
    collator: bool
    data_part: bool
    trainer: bool
    """By a base."""
    called_trainer: bool
    """By its own name."""
    observer: bool


@lru_cache(NAMES)
def _looks(owner: str, bases: tuple[str, ...]) -> _Looks:
    """What all methods of a class share: it is asked for each of them, twice."""
    by_base = [_patterns_matching(base.rpartition(".")[2]) for base in bases]
    said = _patterns_matching(owner).union(*by_base)
    return _Looks(
        based=not all(map(is_plain_base, bases)),
        dataset=_DATASET in said,
        iterated=_ITERATED in said,
        collator=_COLLATOR in said,
        data_part=_DATA_PARTS in said,
        trainer=any(_TRAINER in item for item in by_base),
        called_trainer=_TRAINER in _patterns_matching(owner),
        observer=_OBSERVER in said,
    )


@lru_cache(NAMES)
def _patterns_matching(name: str) -> frozenset[re.Pattern[str]]:
    """Which of these patterns the name of a class meets: many classes share their bases."""
    asked = (_DATASET, _ITERATED, _COLLATOR, _DATA_PARTS, _TRAINER, _OBSERVER)
    return frozenset([pattern for pattern in asked if pattern.search(name)])


@lru_cache(NAMES)
def is_plain_base(base: str) -> bool:
    """Whether no framework stands behind a base class, by its dotted origin."""
    return _PLAIN_BASES.search(base) is not None


@lru_cache(NAMES)
def _frameworks(bases: tuple[str, ...]) -> tuple[Framework, ...]:
    """The frameworks to which a class belongs."""
    numbers = frozenset[int]().union(*map(_frameworks_of, bases))
    return tuple([item for number, item in enumerate(FRAMEWORKS) if number in numbers])


@lru_cache(NAMES)
def _frameworks_of(base: str) -> frozenset[int]:
    """Which of the frameworks, by their numbers, offer a base class."""
    return frozenset([number for number, item in enumerate(FRAMEWORKS) if item.bases.search(base)])


def _decorated(title: str, decorators: tuple[str, ...]) -> Role | None:
    for decorator in decorators:
        handler = _HANDLER.match(decorator)
        if handler is not None:
            found = [_event(match, handler["engine"]) for match in _EVENT.finditer(handler["events"])]
            if found:
                heat = max(found, key=_HOTNESS.index)
                return Role(heat, _SURE, f"{title}: Ignite calls it {_WORDS[heat]}")
        if _ENTRY_POINT.search(decorator):
            return Role(Heat.ONCE, _LIKELY, f"{title}: starts the program")
    return None


def _event(match: re.Match[str], engine: str) -> Heat:
    """How often an event of Ignite fires that may be filtered, as in `Events.ITERATION_COMPLETED(every=100)`."""
    name, chosen = match["name"], match["filter"] or ""
    every = _EVERY.search(chosen)
    filtered = bool(chosen.strip("() ")) and (every is None or every["count"] != "1")
    if name.startswith(("ITERATION", "GET_BATCH", "FORWARD", "BACKWARD", "MODEL", "OPTIMIZER")):
        if filtered:
            return Heat.RARE
        return Heat.EVAL_STEP if _EVALUATES.search(engine) else Heat.STEP
    if name.startswith(("EPOCH", "DATALOADER")):
        return Heat.RARE if filtered else Heat.EPOCH
    return Heat.RARE if name.startswith("EXCEPTION") else Heat.ONCE


def _in_worker(name: str, title: str, looks: _Looks) -> Role | None:
    """Methods of datasets and of objects that collate."""
    if looks.dataset:
        if name in ("__getitem__", "__getitems__"):
            return Role(Heat.WORKER, _LIKELY, f"{title}: {IN_WORKERS}")
        if name == "__iter__":
            sure = _LIKELY if looks.iterated else _BY_NAME
            return Role(Heat.WORKER, sure, f"{title}: {IN_WORKERS}")
    if looks.collator and name in ("__call__", "torch_call"):
        return _collates(name, title)
    if "collat" in name and (name in ("collate_fn", "collater") or looks.data_part):
        return _collates(name, title)
    return None


def _collates(name: str, title: str) -> Role | None:
    if _MAKES_COLLATE.search(name):
        return None
    return Role(Heat.WORKER, _LIKELY, f"{title}: collates in the loader's workers")


def _of_framework(name: str, title: str, bases: tuple[str, ...]) -> Role | None:
    for framework in _frameworks(bases):
        heat = framework.heat(name)
        if heat is not None:
            return Role(heat, _SURE, f"{title}: {framework.name} calls it {_WORDS[heat]}")
    return None


def _by_name(name: str, title: str, looks: _Looks) -> Role | None:
    """What a name says in a class of an unknown framework, or of the project's own trainer."""
    if not looks.trainer and not looks.called_trainer:
        return None
    heat: Heat | None = None
    if STEP_NAMES.fullmatch(name) or (looks.observer and OBSERVER_STEP_NAMES.fullmatch(name)):
        heat = Heat.STEP
    elif EVAL_NAMES.fullmatch(name):
        heat = Heat.EVAL_STEP
    elif EPOCH_NAMES.fullmatch(name):
        heat = Heat.EPOCH
    elif looks.observer and OBSERVER_ONCE_NAMES.fullmatch(name):
        heat = Heat.ONCE
    if heat is None:
        return None
    return Role(heat, _LIKELY if looks.trainer else _BY_NAME, f"{title}: called by its framework {_WORDS[heat]}")


_HOTNESS = (Heat.ONCE, Heat.RARE, Heat.EPOCH, Heat.EVAL_STEP, Heat.STEP)
_WORDS = {
    Heat.STEP: "in each step",
    Heat.EVAL_STEP: "for each evaluation batch",
    Heat.EPOCH: "once an epoch",
    Heat.RARE: "rarely",
    Heat.ONCE: "once",
}
