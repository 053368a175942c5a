"""What names say of values that are not known otherwise."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from trainlint.interpreter.bounds import NAMES
from trainlint.interpreter.values.kinds import Loader, Tensor
from trainlint.interpreter.values.value import Value

BATCH: Final = Tensor("host", container=True, source="loader", way=("a batch of a loader",))
_LOADER: Final = re.compile(r"(^|_)(train_?)?(data_?loader|loader|train_dl)s?$")
_OTHER_PHASE: Final = re.compile("val|test|eval")
_LOSS: Final = re.compile(r"^loss(es)?$|_loss$|^loss_(?!f|w|c|k|t|s|n)")
_FLAG: Final = re.compile(r"^(use|with|is|has|return|compute|enable|no|do|include|only|need|skip|local)_|_(type|mode)$")
"""Options that speak of a loss."""
OPTIMIZER: Final = re.compile(r"opt(im|imi[sz]er)?s?(\b|_|$)|^(d|g)_?opt|solver|scaler", re.IGNORECASE)
SCHEDULER: Final = re.compile("sched")
_MODEL_WORDS: Final = (
    r"(model|net|module|network|encoder|decoder|backbone|head|generator|discriminator|criterion|loss_?fn|loss_?func"
    r"|critic|actor)s?\d?"
)
_MODEL: Final = re.compile(rf"{_MODEL_WORDS}$", re.IGNORECASE)
_MODEL_OF_SEVERAL: Final = re.compile(rf"{_MODEL_WORDS}\[", re.IGNORECASE)
ENVIRONMENT: Final = re.compile(
    r"(^|[._])(v|vec_?|train_?|gym_?|ec_?)?(envs?|environments?|simulator)(\[\w+\])?$", re.I
)
"""An environment of an agent, where it is called `env.step(action)`."""
LOSS_FUNCTION: Final = re.compile(r"(^|_|\.)loss")
MOVED_MODEL: Final = re.compile(
    r"model|net|module|criterion|loss|encoder|decoder|generator|discr|critic|actor|policy|scaler|optim", re.IGNORECASE
)
MODEL_OBJECT: Final = re.compile(r"(^|\.)(model|net|module|network|self\.model\w*|policy|actor|critic)$")
LOSS_METHOD: Final = re.compile("loss|criterion")
NO_LOSS_METHOD: Final = re.compile("weight|log|name|meter|coef|scal")
_OPTIONS_OBJECT: Final = re.compile(r"(args|opts?|cfg|config|hparams|flags?|params|options)$", re.IGNORECASE)
LOGGER: Final = re.compile(r"^(logger|logging|log|_?logger|LOG|LOGGER|rank_zero_info)$|logger$|logging$", re.IGNORECASE)
CALLS_ITS_ARGUMENT: Final = re.compile(
    r"map|apply|run|launch|spawn|main|fit|train|start|vmap|wrap|execute|closure|step$"
)


@lru_cache(maxsize=NAMES)
def is_model(code: str) -> bool:
    """Whether an expression names a model or a loss, such as `self.encoder` or `models[0]`."""
    return _MODEL.search(code) is not None or (code.endswith("]") and _MODEL_OF_SEVERAL.search(code) is not None)


@lru_cache(maxsize=NAMES)
def holds_options(code: str) -> bool:
    """Whether an expression names the options of a program, such as `self.args`."""
    return _OPTIONS_OBJECT.search(code) is not None


@lru_cache(maxsize=NAMES)
def by_name(name: str) -> Value | None:
    """A loader of training batches, or a loss."""
    if _LOADER.search(name) and not _OTHER_PHASE.search(name):
        return Loader(BATCH)
    if _LOSS.search(name) and not _FLAG.search(name):
        return Tensor("device", container=name.endswith("es"), source="name", way=(f"by its name `{name}`",))
    return None
