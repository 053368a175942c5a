"""TRN314."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import argument, has_unpacked_arguments, last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import early_guard, guard
from trainlint.finding import Confidence, Severity
from trainlint.patterns import lazy

_MANY_PROCESSES = frozenset({FactKind.DISTRIBUTED, FactKind.DDP, FactKind.FSDP})
_HOST_STATE = lazy(r"(?i)scaler|sched|sampler|loader|rng|meter")
"""What has a state of Python numbers, or one on the host."""


@early_guard
def says_where_to(site: Site) -> bool:
    """`map_location` is set, or may be in `*args` or `**kwargs`."""
    return argument(site.call, "map_location", 1) is not None or has_unpacked_arguments(site.call)


@guard
def mapped_beside(site: Site) -> bool:
    """The same function also loads with `map_location`."""
    loads = (other for other in site.calls("load") if other.function is site.function)
    return any(argument(other.call, "map_location", 1) for other in loads)


@guard
def needs_one_device(site: Site) -> bool:
    """Training has one process, and the file requires CUDA or never checks for it."""
    asks = any(other.origin(other.call.func) == "torch.cuda.is_available" for other in site.calls("is_available"))
    return not _in_many_processes(site) and (not asks or any(site.calls("set_default_tensor_type")))


@guard
def saved_elsewhere(site: Site) -> bool:
    """Training has one process, and the file saves no checkpoint, saves it from the CPU, or has just saved it."""
    if _in_many_processes(site):
        return False
    saved = [other for other in site.calls("save") if other.origin(other.call.func) == "torch.save"]
    here = [other for other in saved if other.function is site.function]
    return not saved or bool(here) or any(".cpu()" in ast.unparse(other.statement) for other in saved)


def _in_many_processes(site: Site) -> bool:
    return any(use.kind in _MANY_PROCESSES for use in site.file.used_around)


class LoadOntoSavedDevice(CallRule):
    """A checkpoint is loaded onto the device that it was saved from

    ## Why
    `torch.load` puts each tensor back where it was saved. A checkpoint of a training on `cuda:0` goes to `cuda:0`: on a
    machine without CUDA, loading it is an error; in a job of many processes, each of them puts its copy there, so the
    first GPU holds as many copies as there are processes, and runs out of memory first. `load_state_dict` copies
    tensors to where the parameters are, wherever they come from.

    ## Example
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


    def save(model, optimizer, path):
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)


    def resume(model, optimizer, path):
        checkpoint = torch.load(path, weights_only=True)
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        return model.to(device)
    ```

    ## Use instead
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


    def save(model, optimizer, path):
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)


    def resume(model, optimizer, path):
        checkpoint = torch.load(path, weights_only=True, map_location="cpu")
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        return model.to(device)
    ```

    Only what is given to `load_state_dict` is looked at, no data sets and no whole models.
    `map_location=device` saves a copy, and takes the memory of the checkpoint beside that of the model for a moment.

    ## Confirmed by
    In a job of many processes, `nvidia-smi` lists all of them on the first GPU. Otherwise it cannot be measured where
    it works: it shows on the other machine.

    ## Gain
    A checkpoint that loads everywhere; in a job of many processes, the memory of one checkpoint for each other process
    on the first GPU. Nothing for checkpoints that were saved from the CPU.

    ## References
    - `torch.load`: https://docs.pytorch.org/docs/stable/generated/torch.load.html
    - Saving and loading models across devices:
      https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html
    - Distributed data parallel tutorial, "Save and load checkpoints":
      https://docs.pytorch.org/tutorials/intermediate/ddp_tutorial.html
    """

    code = "TRN314"
    name = "load-onto-saved-device"
    on = ("torch.load",)
    sure = Confidence.LIKELY
    unless = (says_where_to, mapped_beside, needs_one_device, saved_elsewhere)
    message = "without `map_location`, a checkpoint that was saved from CUDA cannot be loaded on a machine without CUDA"
    help = 'pass `map_location="cpu"`'

    def found(self, site: Site) -> Match | None:
        """A checkpoint that fills a module or an optimizer."""
        if all(_HOST_STATE.search(name) for name in _filled(site)):
            return None
        if _in_many_processes(site):
            return Match(site, message="every process loads this checkpoint onto the GPU that saved it, mostly GPU 0")
        return Match(site, severity=Severity.ADVICE)


def _filled(site: Site) -> list[str]:
    """The names of what is filled by `load_state_dict`, in the same function, with what a call loads."""
    return [
        last_name(getattr(place.node.func, "value", place.node.func))
        for place in site.file.outline.calls.get("load_state_dict", ())
        if isinstance(place.node, ast.Call) and place.node.args
        if site.file.graph.enclosing(place.block) is site.function
        if _loaded(place.node.args[0], place.block) is site.node
    ]


def _loaded(given: ast.expr, block: Block) -> ast.expr:
    """What `loaded`, `loaded["model"]` or `loaded.get("model")` is a part of."""
    while True:
        if isinstance(given, ast.Subscript):
            given = given.value
        elif isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and given.func.attr == "get":
            given = given.func.value
        elif (value := single_value(given, block)) is not None:
            given = value
        else:
            return given
