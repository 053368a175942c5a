"""What a loader's batches are for, and whether they go to the device."""

from __future__ import annotations

import ast
import re
from enum import Enum, auto

from trainlint.analysis.conditions.questions import is_for_training
from trainlint.analysis.programs.proved_torch import imports_other_framework
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import constant, last_name, names_in
from trainlint.analysis.tables.iterables import only_iterates
from trainlint.analysis.tables.signs import CUDA, DEEPSPEED
from trainlint.analysis.tables.waits.device_copies import TAKING_NON_BLOCKING
from trainlint.analysis.types.loaders import Loader
from trainlint.finding import Heat
from trainlint.patterns import lazy
from trainlint_rules.data.idioms.loader_loops import draws_by_next, loops_over
from trainlint_rules.data.idioms.passes import loops_in_other_files

_TRAIN = lazy(r"train", re.IGNORECASE)
_MOVING_CALL = lazy(r"to_?(device|cuda|gpu)|(^|_)(move|put|send)_|prefetch", re.IGNORECASE)
_OFTEN = frozenset({Heat.STEP, Heat.INNER, Heat.EVAL_STEP, Heat.UNKNOWN})
_COPY_NOTHING = frozenset({"len", "next", "print"})


class Feeds(Enum):
    """What a loader's batches are for."""

    TRAINING = auto()
    """The file trains, with this loader or beside it."""
    TRAINING_ELSEWHERE = auto()
    """By its options or names the file builds loaders for training, which happens in another file."""
    EVALUATION = auto()
    """The file only evaluates."""
    SELDOM = auto()
    """The file draws from it only once or now and then."""
    UNKNOWN = auto()


def feeds(file: SemanticModel, loader: Loader) -> Feeds:
    """What a loader's batches are for, as far as its file shows."""
    drawn = _draws(file, loader)
    if drawn and not any(drawn):
        return Feeds.SELDOM
    if file.loops.evidence() or _hands_over_to_trainer(file):
        return Feeds.TRAINING
    told = file.outside.loader_uses.values()
    if any(use.kind is LoopKind.STEP for uses in told for use in uses):
        return Feeds.TRAINING_ELSEWHERE
    if drawn or loops_in_other_files(file, loader):
        return Feeds.TRAINING_ELSEWHERE if _speaks_of_training(file, loader) else Feeds.EVALUATION
    for other in file.loaders.built.values():
        if _speaks_of_training(file, other) or constant(file.loaders.option(other, "shuffle").value) is True:
            return Feeds.TRAINING_ELSEWHERE
    return Feeds.UNKNOWN


def _draws(file: SemanticModel, loader: Loader) -> list[bool]:
    """For each place where the file takes batches of a loader, a loop over it or a `next`: whether it does so often."""
    found = [file.heats.of(loop).heat in _OFTEN for loop in loops_over(file, loader)]
    for place in draws_by_next(file, loader):
        assert isinstance(place.node, ast.Call)
        source, heat = place.node.args[0], file.heats.of(place.block).heat
        anew = isinstance(source, ast.Call) and last_name(source.func) == "iter"  # one batch, then thrown away
        found.append(heat.in_step if anew else heat in _OFTEN)
    return found


def _speaks_of_training(file: SemanticModel, loader: Loader) -> bool:
    """Whether a loader's dataset or sampler, or the function around it, is called after training."""
    options = (file.loaders.option(loader, name).value for name in ("dataset", "sampler", "batch_sampler"))
    given = [value for value in options if value is not None]
    names = {name for item in given for name in names_in(item)}
    function = file.graph.enclosing(loader.block)
    if any(_TRAIN.search(name) for name in (*names, function.name if function is not None else "")):
        return True
    return is_for_training(loader.block)


def _hands_over_to_trainer(file: SemanticModel) -> bool:
    """Whether others run the loop: Lightning for its modules, a trainer's `fit`, `train_one_epoch` of another file."""
    hooks = any({"training_step", "train_dataloader"} & set(cls.methods) for cls in file.outline.classes.values())
    return hooks or any(name in ("fit", "train_one_epoch", "train_epoch") for name in file.outline.calls)


class Device(Enum):
    """Whether a loader's batches go to the device."""

    COPIED = auto()
    """The file copies them."""
    LIKELY = auto()
    """The file uses CUDA, and what becomes of the batches is not seen."""
    ELSEWHERE = auto()
    """The file hands the loader on, and files that it works together with name a device."""
    SELDOM = auto()
    """The file copies them only once or now and then."""
    STAY = auto()
    """The file iterates the loader and copies nothing of it, or names no CUDA."""


def goes_to_device(file: SemanticModel, loader: Loader) -> Device:
    """Whether a loader's batches go to the device."""
    copies = {use.heat for use in loops_in_other_files(file, loader) if use.copies}
    copies |= {file.heats.of(place.block).heat for place in copies_by_loader(file).get(loader, ())}
    if copies:
        return Device.COPIED if copies & _OFTEN else Device.SELDOM
    if imports_other_framework(file):
        return Device.STAY  # its own code takes the batches over, as arrays
    if file.batches.prepared(loader):
        return Device.LIKELY
    drawn = bool(_draws(file, loader))
    if not file.names.show(CUDA, DEEPSPEED):
        handed_on = not drawn and not _hands_over_to_trainer(file)  # whose code names devices for everybody
        return Device.ELSEWHERE if file.outside.names_device and handed_on else Device.STAY
    return Device.STAY if drawn and loader not in _leaving(file) else Device.LIKELY


def _possible_copies(file: SemanticModel) -> list[Place]:
    return [
        place
        for name, places in file.outline.calls.items()
        if name in TAKING_NON_BLOCKING or _MOVING_CALL.search(name)
        for place in places
    ]


@once
def copies_by_loader(file: SemanticModel) -> dict[Loader, list[Place]]:
    """Where batches of each loader are copied to the device."""
    found: dict[Loader, list[Place]] = {}
    for place in _possible_copies(file):
        call = place.node
        assert isinstance(call, ast.Call)
        moved = list(call.args[:2])
        if isinstance(call.func, ast.Attribute) and call.func.attr in TAKING_NON_BLOCKING:
            moved = [call.func.value]
        for item in moved:
            for loader in file.batches.sources(item, place.block):
                found.setdefault(loader, []).append(place)
    return found


@once
def _leaving(file: SemanticModel) -> frozenset[Loader]:
    """The loaders of which batches are handed to something that may copy them: an engine, a model, a function."""
    found: set[Loader] = set()
    for place in file.outline.all_calls():
        assert isinstance(place.node, ast.Call)
        name = last_name(place.node.func)
        if name in _COPY_NOTHING or only_iterates(name):
            continue
        given = [*place.node.args, *(keyword.value for keyword in place.node.keywords)]
        for item in given:
            if isinstance(item, ast.Name):
                found |= file.batches.sources(item, place.block)
    return frozenset(found)
