"""What a script saves goes to a temporary directory, and what it loads back comes from there, where no overlay does so.

Entry points are replaced where they live, so that modules which import them later get ours. Of frameworks, the public
doors are enough: what these call is redirected by then.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter_ns
from typing import Any

from trainlint.evidence.run import Phase
from trainlint.symptoms import Symptom
from trainlint_probe.watch.imported import Imports
from trainlint_probe.watch.ledger import Kind
from trainlint_probe.watch.lines import frame_at
from trainlint_probe.watch.phases import NUMBER
from trainlint_probe.watch.saving.redirect import RedirectedFiles, name_of_file
from trainlint_probe.watch.watching import Watch

Function = Callable[..., Any]
Arguments = tuple[Any, ...]
Keywords = dict[str, Any]

_LIGHTNING = ("lightning.fabric.plugins.io.torch_io", "lightning_fabric.plugins.io.torch_io")
"""The module by its names of today and of `pytorch_lightning`."""

# module → the functions and methods that save, with the parameter that names the place
_SAVES: dict[str, tuple[tuple[str, str], ...]] = {
    "torch": (("save", "f"), ("jit.save", "f"), ("jit._script.RecursiveScriptModule.save", "f"), ("export.save", "f")),
    "torch.distributed.checkpoint.filesystem": (
        ("_FileSystemWriter.__init__", "path"),
        ("_FileSystemWriter.reset", "checkpoint_id"),
        ("FileSystemWriter.__init__", "path"),
    ),
    "safetensors.torch": (("save_file", "filename"), ("save_model", "filename")),
    "safetensors.numpy": (("save_file", "filename"),),
    "accelerate.accelerator": (
        ("Accelerator.save_state", "output_dir"),
        ("Accelerator.save_model", "save_directory"),
        ("Accelerator.save", "f"),
    ),
    "transformers.trainer": (("Trainer.save_model", "output_dir"),),
    "transformers.modeling_utils": (("PreTrainedModel.save_pretrained", "save_directory"),),
    "transformers.configuration_utils": (("PretrainedConfig.save_pretrained", "save_directory"),),
    "transformers.tokenization_utils_base": (("PreTrainedTokenizerBase.save_pretrained", "save_directory"),),
    "peft.peft_model": (("PeftModel.save_pretrained", "save_directory"),),
    **dict.fromkeys(
        _LIGHTNING, (("TorchCheckpointIO.save_checkpoint", "path"), ("TorchCheckpointIO.remove_checkpoint", "path"))
    ),
}
_LOADS: dict[str, tuple[tuple[str, str], ...]] = {
    "torch": (("load", "f"), ("jit.load", "f"), ("export.load", "f")),
    "torch.distributed.checkpoint.filesystem": (
        ("FileSystemReader.__init__", "path"),
        ("FileSystemReader.reset", "checkpoint_id"),
    ),
    "safetensors.torch": (("load_file", "filename"), ("load_model", "filename")),
    "safetensors.numpy": (("load_file", "filename"),),
    "accelerate.accelerator": (("Accelerator.load_state", "input_dir"),),
    "transformers.modeling_utils": (("PreTrainedModel.from_pretrained", "pretrained_model_name_or_path"),),
    **dict.fromkeys(_LIGHTNING, (("TorchCheckpointIO.load_checkpoint", "path"),)),
}
_CHECKPOINT = NUMBER[Phase.CHECKPOINT]


class Saves:
    """The redirected doors of a process."""

    def __init__(self, directory: Path, watch: Watch, overlaid: Sequence[str] = ()) -> None:
        """`overlaid` are directories under an overlay, in which files are saved and loaded as always."""
        self.twins = RedirectedFiles(directory, overlaid)
        self.watch = watch
        self.opened: set[str] = set()
        """Files that the script opened itself, to save into: what was saved stands in their twins."""
        self.new: set[str] = set()
        """Files that did not exist before this run opened them to write."""

    def install(self, imports: Imports) -> None:
        """Redirect each module's doors as soon as it has been imported."""
        for module in dict.fromkeys((*_SAVES, *_LOADS)):
            imports.when(module, functools.partial(self._redirect, module))
        imports.when("transformers.trainer", self._redirect_trainer)
        imports.when("accelerate.accelerator", self._redirect_project)

    def _redirect(self, module: str) -> None:
        for name, parameter in _SAVES.get(module, ()):
            _replace(sys.modules[module], name, functools.partial(self._saving, f"{_short(module)}.{name}", parameter))
        for name, parameter in _LOADS.get(module, ()):
            _replace(sys.modules[module], name, functools.partial(self._loading, parameter))

    def _saving(self, what: str, parameter: str, function: Function) -> Function:
        place = _Argument(function, parameter)
        kind = Kind(what, Symptom.CHECKPOINT)
        watch = self.watch

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            target = place.get(args, kwargs)
            if target is None:
                return function(*args, **kwargs)
            site = watch.ledger.site(kind, "", frame_at(1))
            watch.phases.enter(_CHECKPOINT)
            start = perf_counter_ns()
            try:
                with watch.range(site):
                    return self._save(function, place, target, args, kwargs)
            finally:
                site.nanoseconds += perf_counter_ns() - start
                site.calls += 1
                watch.phases.leave()

        return wrapper

    def _save(self, function: Function, place: _Argument, target: Any, args: Arguments, kwargs: Keywords) -> Any:
        if isinstance(target, (str, os.PathLike)):
            if self.twins.need_none(target):
                return function(*args, **kwargs)
            return place.call(function, self.twins.to_write(target), args, kwargs)
        name = name_of_file(target)
        if name is None or self.twins.holds(name) or self.twins.need_none(name):
            return function(*args, **kwargs)
        # The script opened the file: it stays as it is, and empty if it is new.
        self.opened.add(os.path.realpath(name))
        with Path(self.twins.to_write(name)).open("wb") as stream:
            return place.call(function, stream, args, kwargs)

    def _loading(self, parameter: str, function: Function) -> Function:
        place = _Argument(function, parameter)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            source = place.get(args, kwargs)
            name = source if isinstance(source, (str, os.PathLike)) else name_of_file(source)
            found = None if name is None else self.twins.to_read(name)
            if found is None or found is name:
                return function(*args, **kwargs)
            return place.call(function, found, args, kwargs)

        return wrapper

    def _redirect_trainer(self) -> None:
        """transformers.Trainer builds its paths from its arguments' `output_dir`."""
        trainer = sys.modules["transformers.trainer"].Trainer
        for name in ("_save_checkpoint", "save_model", "save_state"):
            _replace(trainer, name, functools.partial(self._elsewhere, lambda trainer: (trainer.args, "output_dir")))

    def _redirect_project(self) -> None:
        """Accelerate numbers its checkpoints below its project's directory."""
        accelerator = sys.modules["accelerate.accelerator"].Accelerator
        for name in ("save_state", "load_state"):
            owner = functools.partial(self._elsewhere, lambda self: (self.project_configuration, "project_dir"))
            _replace(accelerator, name, owner)

    def _elsewhere(self, owner_of: Callable[[Any], tuple[Any, str]], function: Function) -> Function:
        """A method during which an attribute that names a directory names its twin."""

        @functools.wraps(function)
        def wrapper(self_: Any, *args: Any, **kwargs: Any) -> Any:
            owner, attribute = owner_of(self_)
            meant = getattr(owner, attribute)
            if meant is None or self.twins.need_none(meant):
                return function(self_, *args, **kwargs)
            object.__setattr__(owner, attribute, self.twins.to_write(meant))
            try:
                return function(self_, *args, **kwargs)
            finally:
                object.__setattr__(owner, attribute, meant)

        return wrapper

    def tidy(self) -> None:
        """Remove the files that the script opened for saving and that are empty, as what was saved is elsewhere."""
        for name in self.opened:
            path = Path(name)
            if name in self.new and path.is_file() and path.stat().st_size == 0:
                path.unlink()


class _Argument:
    """One parameter of a function, however it is passed."""

    def __init__(self, function: Function, name: str) -> None:
        self.name = name
        self.position = list(inspect.signature(function).parameters).index(name)

    def get(self, args: Arguments, kwargs: Keywords) -> Any:
        """Its value in a call; None where it is left out."""
        return args[self.position] if self.position < len(args) else kwargs.get(self.name)

    def call(self, function: Function, value: Any, args: Arguments, kwargs: Keywords) -> Any:
        """Call the function with another value for it."""
        if self.position < len(args):
            return function(*args[: self.position], value, *args[self.position + 1 :], **kwargs)
        return function(*args, **{**kwargs, self.name: value})


def _replace(owner: Any, name: str, wrap: Callable[[Function], Function]) -> None:
    """Wrap a function or method where this version of its library has it."""
    *path, last = name.split(".")
    for part in path:
        owner = getattr(owner, part, None)
    if owner is None or last not in vars(owner):
        return
    function = vars(owner)[last]
    if isinstance(function, classmethod):
        setattr(owner, last, classmethod(wrap(function.__func__)))
    else:
        setattr(owner, last, wrap(function))


def _short(module: str) -> str:
    return "torch.distributed.checkpoint" if module.startswith("torch.d") else module.partition(".")[0]
