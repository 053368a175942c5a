"""What frameworks call, and what is presumed to run although nobody in sight calls it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from trainlint.analysis.tables.frameworks.hooks import FRAMEWORKS, OBSERVER_STEP_NAMES, STEP_NAMES
from trainlint.finding import Heat

TRAINING_STEP: Final = "training_step"
EVALUATION_FUNCTION: Final = re.compile(
    r"^_?(val|valid|validate|validation|eval|evaluate|evaluation|test|validation_step|test_step|predict|predict_step"
    r"|inference)(_|$)|_(eval|evaluate|validate|validation)$",
    re.IGNORECASE,
)
"""Names of functions that evaluate, whoever calls them."""
BESIDE_TRAINING: Final = re.compile(
    r"^_?(run_|do_|plot_)?(visuali[sz]\w*|profile|profiling|benchmark\w*|grad_?cam\w*|saliency\w*)$",
    re.IGNORECASE,
)
"""Names of functions that may compute gradients and yet train nothing."""
LIGHTNING_TRAINER: Final = re.compile(r"^(pytorch_)?lightning\..*\bTrainer$")
"""Makes what runs the loop over the loaders that its `fit` is given."""
_OBSERVER: Final = re.compile(r"Callback|Hook|Observer|Plugin", re.IGNORECASE)
_OWN_HOOKS: Final = re.compile("_train_step|train_one_step|forward_train|on_train_step_(begin|end)")
"""Further methods that say by their name alone that they are steps."""


def is_step_hook(name: str, of_libraries: Sequence[str], of_program: Sequence[str]) -> bool:
    """Whether a framework calls a method in each step, by its name and the names of its class's bases.

    A known framework says it, whose classes are of a library; of any other class the name does. `forward` and `step` do
    not say who calls them.
    """
    if name in ("forward", "step"):
        return False
    frameworks = [one for one in FRAMEWORKS if any(map(one.bases.search, of_libraries))]
    if frameworks:
        return any(one.heat(name) is Heat.STEP for one in frameworks)
    if STEP_NAMES.fullmatch(name) or _OWN_HOOKS.fullmatch(name):
        return True
    is_observer = any(map(_OBSERVER.search, (*of_libraries, *of_program)))
    return is_observer and OBSERVER_STEP_NAMES.fullmatch(name) is not None


WITHOUT_BATCH: Final = frozenset({"run_step", "step", "optimizer_step", "on_step_end"})
"""Methods that are not given tensors."""
FIRST_ALONE: Final = frozenset({"training_step", "train_step"})
"""Methods whose first argument alone is a batch."""
PRESUMED: Final = frozenset(
    {
        "forward",
        "__call__",
        "loss",
        "compute_loss",
        "get_loss",
        "forward_features",
        "forward_train",
        "training_step",
    }
)
"""Methods of modules that run in each step, where nobody in sight calls them."""
FORWARD_NAME: Final = re.compile(r"(^|_)forward($|_)")
NOT_TRAINING: Final = re.compile(
    r"(^|_)(eval|evaluate|val|valid|validate|validation|validating|evaluation|test|inference|infer|predict|prediction"
    r"|sample|sampling|generate|generation|visuali[sz]e|plot|draw|save|load|export|onnx|demo|decode|beam|search|extract"
    r"|benchmark|init|reset|build|get_config|summary|synthesize|postprocess|dump|checkpoint|log_images?|restore|render"
    r"|debug|animate|show)(_|$)",
    re.IGNORECASE,
)
"""Names of functions and classes that are for something else than training."""
NOT_TRAINING_PATH: Final = re.compile(
    r"(^|/|_)(eval|evaluate|evaluation|inference|infer|demo|demos|test|tests|predict|export|convert|deploy|benchmark"
    r"|generate|sample|sampling|visuali[sz]e|visuali[sz]ation|notebooks?|hubconf|preprocess|prepare|server|webui|gradio"
    r"|app|examples?/inference|onnx|conversion|scripts/convert)(_|/|\.|$)",
    re.IGNORECASE,
)
NOT_A_TENSOR: Final = re.compile(
    r"(^|_)(idx|index|epoch|steps?|iter|mode|name|cfg|config|args|opt|flag|ctx|model|module|task|runner|num|n|size|phase"
    r"|split|return|use|is"
    r"|hw|HW|[hHwW]|dim|shape|stage|scale|optimizer.*|optim)($|_)|shapes?$"
    r"|^(k|dims?|batch_size|reduction|logger|state|trainer|outputs_dict)$|len(gth)?$"
)
"""Names of parameters that are no tensors, though the method gets batches."""
TARGETS: Final = re.compile(r"(^|_)(targets?|labels?|gts?|ground_truths?)($|_)")
"""Names of optional parameters that a forward pass is given where it trains."""
DECODING_STATE: Final = re.compile(r"(^|_)(cache|past|incremental)($|_)|^past_key_values?$")
"""Names of optional parameters that a forward pass is given where it decodes, token by token."""
LOADER_PARAMETER: Final = re.compile(r"(^|_)(data_?loader|loader|train_dl|dl|train_iter)s?$")
