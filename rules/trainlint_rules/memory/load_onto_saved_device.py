"""TRN314."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.conditions import on_some_ranks
from trainlint.finding import Confidence, Severity
from trainlint_rules.memory.idioms.loaded_checkpoints import (
    behind_device_test,
    filled,
    fills_host_states,
    in_many_processes,
    just_saved,
    mapped_beside,
    needs_one_device,
    saved_elsewhere,
    saved_from_host,
    says_where_to,
)


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
    on = ("torch.load",)
    sure = Confidence.LIKELY
    unless = (
        says_where_to,
        fills_host_states,
        behind_device_test,
        on_some_ranks,
        mapped_beside,
        needs_one_device,
        saved_elsewhere,
        saved_from_host,
        just_saved,
    )
    message = "without `map_location`, a checkpoint that was saved from CUDA cannot be loaded on a machine without CUDA"
    help = 'pass `map_location="cpu"`'

    def found(self, site: Site) -> Match | None:
        """A checkpoint that fills a module or an optimizer."""
        if not filled(site):
            return None
        if in_many_processes(site):
            return Match(site, message="every process loads this checkpoint onto the GPU that saved it, mostly GPU 0")
        return Match(site, severity=Severity.ADVICE)
