"""Global switches that cost in each step: whether somebody chose them, and whether the file trains."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.conditions.branches import is_tested_for_others
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.analysis.tables import ranks
from trainlint.contract.guard import guard
from trainlint.finding import Confidence, Heat
from trainlint.patterns import lazy

LIGHTNING_TRAINER = ("lightning.*.Trainer", "pytorch_lightning.*.Trainer")
"""What Lightning's trainer is imported as; its switches are keywords."""
DETERMINISTIC = ("torch.*.use_deterministic_algorithms", "torch.*.set_deterministic")
_DETERMINISTIC_NAMES = tuple(name.rpartition(".")[2] for name in DETERMINISTIC)
_TRAINING_CALLS = ("backward", "fit", "Trainer", "train_one_epoch")
_SEEDS = lazy("seed", re.IGNORECASE)
_OF_MACHINES = frozenset({"is_available", "device_count", "cuda", "rank", "local_rank", *ranks.NAMES})
_FOR_IT = lazy(r"debug|determinis|reproduc|anomal", re.IGNORECASE)
"""Functions that somebody calls because he wants just this."""


@guard
def chosen(site: Site) -> bool:
    """A check decides whether it runs, or its function is named for it."""
    named = site.function is not None and _FOR_IT.search(site.function.name) is not None
    return site.heat.heat is Heat.RARE or is_tested_for_others(site.block, None, _OF_MACHINES) or named


@guard
def another_stands_above(site: Site) -> bool:
    """The finding is about an earlier switch of determinism."""
    places = [item.place for item in site.calls(*_DETERMINISTIC_NAMES)]
    places += site.file.outline.stores.get("deterministic", ())
    return any(
        place.block is site.block
        and place.statement.lineno < site.statement.lineno
        and switches_determinism_on(Site(site.file, place))
        for place in places
    )


def switches_determinism_on(site: Site) -> bool:
    """Whether a call, or an assignment to PyTorch's switch, says by a literal that algorithms be deterministic."""
    node = site.node
    if isinstance(node, ast.Call):
        if last_name(node.func) in _DETERMINISTIC_NAMES:
            by_torch = (site.origin(node.func) or "").startswith("torch.")
            return by_torch and constant(argument(node, "mode", 0)) is True and not _warns_only(node)
        return constant(argument(node, "deterministic")) is True
    statement = site.statement
    stores = isinstance(statement, ast.Assign) and constant(statement.value) is True
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return stores and any((site.origin(target) or "").startswith("torch.backends.cudnn.") for target in targets)


def sure_to_train(site: Site) -> Confidence:
    """How sure it is that a switch stays on in training: a helper for seeding must be called from somewhere."""
    function, unknown = site.function, site.heat.heat is Heat.UNKNOWN
    seeds = function is not None and _SEEDS.search(function.name) is not None
    if function is not None and seeds and unknown and function.name not in site.file.outline.calls:
        return Confidence.POSSIBLE
    return Confidence.LIKELY if _trains(site) or (seeds and not unknown) else Confidence.POSSIBLE


def _warns_only(call: ast.Call) -> bool:
    return constant(argument(call, "warn_only")) is True


def _trains(site: Site) -> bool:
    """Whether a file trains, or calls what trains."""
    sets_mode = any(not item.call.args and not item.call.keywords for item in site.calls("train"))
    trains = any(True for _ in site.calls(*_TRAINING_CALLS))
    return trains or sets_mode or any(item.name.startswith("train") for item in site.file.outline.functions)
