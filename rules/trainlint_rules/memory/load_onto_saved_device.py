"""TRN314."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.conditions.questions import is_on_some_ranks
from trainlint.analysis.conditions.subjects import Subject, asks_about
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, last_name, position
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_MANY_PROCESSES = frozenset({FactKind.DISTRIBUTED, FactKind.DDP, FactKind.FSDP})
_HOST_STATE = lazy(r"scaler|sched|sampler|loader|rng|meter", re.IGNORECASE)
"""What has a state of Python numbers, or one on the host."""


class LoadOntoSavedDevice(Rule):
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

    `map_location=device` saves a copy, and takes the memory of the checkpoint beside that of the model for a moment.

    ## Stays silent
    Where `map_location` is given or may be; for programs that run on one device only, as far as the file shows, and in
    one process for files that save no checkpoint: others may have been saved from the host; for what the same run has
    just saved; behind a test of the
    device or of the rank; beside another branch that maps; for what is not given to `load_state_dict`, such as data
    sets and whole models, and for states without tensors, as of schedulers.

    ## Fix safety
    Parameters get the same values. What else the checkpoint holds, such as a best score in a tensor, is on the host
    afterwards.

    ## Confirmed by
    In a job of many processes, `nvidia-smi` lists all of them on the first GPU. Otherwise it cannot be measured where
    it works: it shows on the other machine.

    ## Gain
    A checkpoint that loads everywhere; in a job of many processes, the memory of one checkpoint for each other process
    on the first GPU. Nothing for checkpoints that were saved from the host.

    ## References
    - `torch.load`: https://docs.pytorch.org/docs/stable/generated/torch.load.html
    - Saving and loading models across devices:
      https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html
    - Distributed data parallel tutorial, "Save and load checkpoints":
      https://docs.pytorch.org/tutorials/intermediate/ddp_tutorial.html
    """

    code = "TRN314"
    name = "load-onto-saved-device"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    triggers = Triggers(calls=frozenset({"load"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find checkpoints that are loaded without `map_location` where devices may differ."""
        if site.origin(site.call.func) != "torch.load" or has_unpacked_arguments(site.call) or is_test_path(site.path):
            return
        if argument(site.call, "map_location", 1) is not None or not _fills_a_module(site):
            return
        if asks_about(site.block, Subject.DEVICE) or is_on_some_ranks(site.conditions) or _is_mapped_elsewhere(site):
            return
        kinds = {item.fact.kind for item in site.file.used_around(site.block, beside=True)}
        if kinds & _MANY_PROCESSES:
            message = (
                "each process loads this checkpoint onto the device that it was saved from, usually all of them onto "
                'the first GPU; give it `map_location="cpu"`'
            )
        elif _may_lack_cuda(site):
            message = (
                "the program runs with and without CUDA, but a checkpoint that was saved from CUDA cannot be loaded "
                'without it; give it `map_location="cpu"`'
            )
        else:
            return
        yield self.finding(
            site,
            message,
            confidence=0.8,
            severity=Severity.WARNING if kinds & _MANY_PROCESSES else Severity.ADVICE,
            fix=partial(_mapped, site),
        )


def _may_lack_cuda(site: Site) -> bool:
    """Whether a program that also runs without CUDA loads what another run of it saved."""
    if _makes_all_on_cuda(site):
        return False  # it does not run without CUDA, whatever else it asks
    return _calls(site, "torch.cuda.is_available") and _calls(site, "torch.save") and not _was_just_saved(site)


def _fills_a_module(site: Site) -> bool:
    """Whether what is loaded, or a part of it, is given to `load_state_dict` in the same function."""
    function = site.function
    for place in site.file.outline.calls.get("load_state_dict", ()):
        assert isinstance(place.node, ast.Call)
        if site.file.graph.enclosing(place.block) is function and place.node.args:
            owner = getattr(place.node.func, "value", place.node.func)
            if _loaded(place.node.args[0], place.block) is site.node and not _HOST_STATE.search(last_name(owner)):
                return True
    return False


def _was_just_saved(site: Site) -> bool:
    """Whether the same run wrote the file before, as of the best epoch: it has the same devices."""
    path = argument(site.call, "f", 0)
    return path is not None and any(
        other.function is site.function
        and position(other.call) < position(site.call)
        and (written := argument(other.call, "f", 1)) is not None
        and ast.unparse(written) == ast.unparse(path)
        for other in site.calls("save")
        if other.origin(other.call.func) == "torch.save"
    )


def _calls(site: Site, origin: str) -> bool:
    """Whether the file calls an imported function."""
    return any(other.origin(other.call.func) == origin for other in site.calls(origin.rpartition(".")[2]))


def _makes_all_on_cuda(site: Site) -> bool:
    """Whether the file makes CUDA the place of all new tensors, without asking whether there is one."""
    return any(
        "cuda" in str(constant(argument(other.call, "t", 0))) and not other.conditions
        for other in site.calls("set_default_tensor_type")
    )


def _loaded(given: ast.expr, block: Block) -> ast.expr:
    """What `loaded`, `loaded["model"]` or `loaded.get("model")` is a part of."""
    while True:
        if isinstance(given, ast.Subscript):
            given = given.value
        elif isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and given.func.attr == "get":
            given = given.func.value
        else:
            value = single_value(given, block)
            if value is None:
                return given
            given = value


def _is_mapped_elsewhere(site: Site) -> bool:
    """Whether the same function loads with `map_location`, too: then somebody chose."""
    return any(
        other.origin(other.call.func) == "torch.load"
        and other.function is site.function
        and argument(other.call, "map_location", 1) is not None
        for other in site.calls("load")
    )


def _mapped(site: Site) -> Fix | None:
    from trainlint.fixing.rewrite import add_keyword, attempt

    return attempt(
        lambda: Fix(
            "Load it onto the host", (add_keyword(site.source, site.call, "map_location", '"cpu"'),), Safety.UNSAFE
        )
    )
