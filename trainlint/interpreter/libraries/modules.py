"""Classes of libraries by what they mean: modules, autograd functions, loaders, wrappers, hosts' libraries."""

from __future__ import annotations

import re
from typing import Final

from trainlint.interpreter.libraries.tensors import _set

MODULE: Final = re.compile(
    r"(^|\.)(Module|LightningModule|PreTrainedModel|[A-Z]\w*PreTrainedModel|Sequential|ModuleList|BaseModule"
    r"|ModelMixin|_Loss|MessagePassing|[A-Z]\w*(Loss|Model|Layer|Net|Head|Encoder|Decoder|Block|Attention|Conv2d"
    r"|Linear|ForConditionalGeneration|ForCausalLM|Embedding|Norm))$|^torch\.nn\."
)
AUTOGRAD: Final = re.compile(r"(^|\.)(autograd\.)?Function$")
OPTIMIZER_CLASS: Final = re.compile(r"^(?!.*[Ss]ched).*([Oo]ptim)")
"""Bases of optimizers, but not of schedules."""
LOADER: Final = re.compile(r"(DataLoader|StatefulDataLoader|LoaderX|BackgroundGenerator)$")
SEVERAL_OUTPUTS: Final = re.compile("LSTM|GRU|RNN|Attention")
WRAPPERS: Final = re.compile(
    r"(DataParallel|DistributedDataParallel|FullyShardedDataParallel|DDP|FSDP|torch\.compile|torch\.jit\.script"
    r"|deepcopy|copy\.copy|prepare_model|convert_sync_batchnorm|convert_syncbn_model|LightningDistributedModule|SWALR"
    r"|torch\.jit\.ignore)$"
)
"""Functions and classes that give their first argument back, or behave as it does."""
PASSING_DECORATOR: Final = re.compile(
    r"no_grad|enable_grad|inference_mode|jit|compile|wraps|autocast|custom_fwd|custom_bwd|amp|cache|beartype|typecheck"
    r"|torch_|checkpoint|record|profile|hydra|rank_zero|override|add_start|replace_return|torch\.|abstract"
    r"|eval_decorator|cast_|maybe|staticmethod|classmethod|property|main",
    re.IGNORECASE,
)
"""Decorators that leave a function as it is."""
PROGRESS: Final = re.compile(r"(^|\.)(tqdm|trange|track|cycle|islice|chain|auto\.tqdm)(\.|$)")
"""Functions that pass items through."""
HOST_LIBRARY: Final = re.compile(
    r"^(numpy|np|random|math|scipy|pandas|PIL|cv2|skimage|sklearn|os|sys|time|json|pickle|re|copy|string|collections"
    r"|librosa|soundfile|logging|pathlib|datetime|functools|itertools|operator|yaml|gc)(\.|$)"
)
ARRAY_LIBRARY: Final = re.compile(r"^(numpy|np|pandas|scipy|librosa|cv2|PIL)(\.|$)")
NUMBER_LIBRARY: Final = re.compile(r"^(os|math|random|sys|time|re|operator)\.")
TENSOR_LIBRARY: Final = re.compile(
    r"^(torch|einops|torchvision|torchaudio|torch_scatter|torch_sparse|kornia|xformers|flash_attn|apex|timm|fairscale"
    r"|deepspeed)(\.|$)"
)
TENSOR_FUNCTIONS: Final = re.compile(r"^(einops|torch_scatter|torchvision\.ops|torchaudio\.functional|kornia)")
"""Libraries whose functions give tensors where their arguments are."""
DTYPE: Final = re.compile(r"torch\.(float|int|bool|half|double|long|uint|bfloat|complex)\w*$")
SAME_MODULE: Final = _set(
    "train eval to cuda cpu half float double requires_grad_ apply bfloat16 type share_memory compile module"
)
"""Methods of modules that give the module back."""
LOADING: Final = _set("from_pretrained load_from_checkpoint")
"""Methods of libraries' classes that make an object of the class."""
WRITERS: Final = _set(
    "add_scalar add_scalars add_histogram add_image log_metrics add_text set_postfix set_postfix_str log_metric"
    " set_description"
)
"""Methods that format what they are given."""
LOG_LEVELS: Final = _set("info warning log")
"""Methods of loggers that write by default: what `debug` is given is not formatted."""
