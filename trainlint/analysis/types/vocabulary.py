"""What PyTorch's own names return, and what people's names usually mean."""

from __future__ import annotations

import re
from functools import lru_cache

from trainlint.analysis.tables import loaders, optimizers, parallel, precision, samplers
from trainlint.analysis.tables.clipping import RETURNING_NORM
from trainlint.analysis.tables.ranks import NUMBER_FUNCTIONS
from trainlint.analysis.types.batch_sources import LOADER_NAME
from trainlint.analysis.types.evidence import DECLARED, NAMED
from trainlint.analysis.types.values import NUMBER, STRING, UNKNOWN, Home, Kind, Origin, Value
from trainlint.patterns import lazy

WINDOWS = frozenset("bartlett_window blackman_window hamming_window hann_window kaiser_window".split())
FACTORIES = WINDOWS | frozenset(
    "zeros ones empty full eye arange linspace logspace rand randn randint randperm normal tensor as_tensor "
    "from_numpy from_file Tensor "
    "FloatTensor LongTensor IntTensor BoolTensor ByteTensor HalfTensor DoubleTensor asarray frombuffer "
    "tril_indices triu_indices".split()
)
LIKE_FACTORIES = frozenset(
    {"zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "randint_like"}
)
TORCH_NUMBERS = frozenset(
    "is_tensor is_available device_count current_device memory_allocated max_memory_allocated "
    "memory_reserved max_memory_reserved "
    "is_initialized get_device_capability manual_seed initial_seed get_num_threads "
    "is_grad_enabled is_autocast_enabled is_scripting is_tracing is_compiling get_default_dtype get_default_device "
    "is_floating_point is_complex equal allclose numel mem_get_info is_inference seed get_lr is_nccl_available".split()
) | frozenset(NUMBER_FUNCTIONS)
TENSOR_NUMBERS = frozenset(
    "dim ndimension numel nelement element_size data_ptr is_contiguous is_pinned is_floating_point "
    "is_complex get_device stride storage_offset "
    "size type_as_string has_names is_set_to is_shared is_signed is_same_size "
    "number_of_nodes number_of_edges number_of_src_nodes number_of_dst_nodes "  # graphs, which come in batches, too
    "num_nodes num_edges num_src_nodes num_dst_nodes "
    "nnz _nnz sparse_size sparse_sizes sparse_dim dense_dim".split()  # sparse tensors, those of torch_sparse too
)
DETACHING = frozenset(
    {
        "detach",
        "detach_",
        "argmax",
        "argmin",
        "argsort",
        "eq",
        "ne",
        "gt",
        "lt",
        "ge",
        "le",
        "isnan",
        "isinf",
        "isfinite",
        "long",
        "int",
        "bool",
        "byte",
    }
)
COMPUTING_METHOD = lazy(
    r"^(forward|encode|decode|generate|predict|sample|embed|project|extract|inference|infer|score|evaluate|"
    r"compute|calc|calculate|log_prob|"
    r"reconstruct|denoise|q_sample|p_losses|get_(value|action|feature|logit|loss|embed|q_|hidden|image|text|"
    r"reward))|loss(es)?$|_step$|_forward$|_features$"
)
"""Methods of a module that return tensors."""
LOSS_FUNCTIONS = lazy(r"loss$|cross_entropy|^nll|kl_div|^smooth_l1|^mse|^l1_|hinge|ctc", re.IGNORECASE)

_MODULE_NAME = lazy(
    r"^(model|net|network|module|ddp|backbone|encoder|decoder|generator|discriminator|unet|vae|transformer|"
    r"policy|actor|critic|teacher|student|"
    r"classifier|net_?[dg]|gen|disc|ema|q_network|target_network|agent|actor_critic|vit|bert|gpt|llm|lm|"
    r"raw_model|resnet|vgg|head)(_?\d|_engine|_ddp|_ema|_without_ddp)?$"
    r"|_(model|net|network|module|encoder|decoder|engine)$",
    re.IGNORECASE,
)
_OF_MODULE = lazy(r"^(model|net)_(?=.)", re.IGNORECASE)
"""Begins names of modules (`model_b`), and of what belongs to one (`model_output`)."""
_NO_MODULE_NAME = lazy(
    r"_(params?|args?|arguments?|kwargs|opts?|options?|cfgs?|configs?|conf|settings?|spec|names?|paths?|dirs?|files?|"
    r"folder|root|types?|sizes?|dims?|ids?|cls|class|classes|fn|func|dict|state|info|outs?|ins?|tags?|keys?|urls?|"
    r"repo|version|prefix|suffix|str|string|loaded|saved|time|loss)$",
    re.IGNORECASE,
)
"""What belongs to a module and is none."""
_MORE_THAN_PREFIX = frozenset({Kind.TENSOR, Kind.DEVICE, Kind.DTYPE, Kind.LOADER, Kind.OPTIMIZER})
CRITERION_NAME = lazy(
    r"^(criterion|loss_fn|loss_func|loss_function|compute_loss|calc_loss|lossfn|objective)\w*$|criterion|"
    r"^crit$|^(bce|mse|l1|ce|nll|kl)(_?loss)?$|_loss$|^loss_",
    re.IGNORECASE,
)
SCALER_NAME = lazy(r"(^|_)(grad_?|amp_?|loss_?)?scaler$", re.IGNORECASE)
LOSS_NAME = lazy(r"(^|_)loss(es)?($|_|\d)|^(loss|err|errd|errg)[a-z]?(_\w+)?$|^loss[A-Z]?\w*$", re.IGNORECASE)
TENSOR_NAME = lazy(
    r"(^|_)(logits?|preds?|predictions?|outputs?|images?|imgs?|labels?|targets?|inputs?|embeddings?|feats?|"
    r"features?|grad_norm|total_norm|acc[15]?|"
    r"correct|hidden_states|attention_mask|input_ids|log_?probs?|rewards?|advantages?|masks?)($|_)",
    re.IGNORECASE,
)
_NO_TENSOR_NAME = lazy(
    r"_([^\W_]*(?<!tens)(?<!numb)(?<!buff)(er|or)|cfg|config|conf|size|shape|dir|path|name|file|folder|root|dim|stride|"
    r"ratio|fn|func|type|smoothing)s?$",
    re.IGNORECASE,
)
"""What has to do with tensors and is none: objects that work on them (`target_assigner`), settings (`image_size`)."""
DEVICE_NAME = lazy(
    r"(^|_)(device|dev|devices|gpu|cuda)($|_|\d|id)|^(local_rank|rank|gpu_id|device_id|local_device|main_device|dev)$",
    re.IGNORECASE,
)
DTYPE_NAME = lazy(r"dtype|(^|_)(precision|ptdtype)($|_)", re.IGNORECASE)
_TEXTS_OF_MODULES = frozenset({"__version__", "__name__", "__file__", "__doc__"})
_DTYPES = frozenset(
    "float float16 float32 float64 half double bfloat16 int int8 int16 int32 int64 long short uint8 bool "
    "cfloat complex64 complex128 "
    "float8_e4m3fn float8_e5m2".split()
)
NUMBER_NAME = lazy(
    r"^(lr|learning_rate|epoch|epochs|step|steps|i|j|k|n|idx|index|iteration|it|start|end|rank|world_size|"
    r"seed|batch_size|bs|global_step|alpha|beta|"
    r"gamma|eps|epsilon|num_\w+|n_\w+|max_\w+|min_\w+|\w*_lr|\w*time|start|elapsed|"
    r"(use|is|has|return|output|with|should|do|need|enable|disable)_\w+)$",
    re.IGNORECASE,
)

COUNT_NAME = lazy(r"^(num|n)_|(^|_)(num|count)s?$|^batch_?size$", re.IGNORECASE)
"""What stands under such a key of a batch may as well be a number, or a list of numbers."""

ANNOTATIONS = {
    "Tensor": Value(Kind.TENSOR, evidence=DECLARED),
    "FloatTensor": Value(Kind.TENSOR, evidence=DECLARED),
    "LongTensor": Value(Kind.TENSOR, evidence=DECLARED),
    "BoolTensor": Value(Kind.TENSOR, evidence=DECLARED),
    "Module": Value(Kind.MODULE),
    "PreTrainedModel": Value(Kind.MODULE),
    "Dataset": Value(Kind.DATASET),
    "device": Value(Kind.DEVICE),
    "dtype": Value(Kind.DTYPE),
    "ndarray": Value(Kind.ARRAY),
    "int": NUMBER,
    "float": NUMBER,
    "bool": NUMBER,
    "str": STRING,
    **dict.fromkeys(parallel.WRAPPERS, Value(Kind.MODULE)),
    **dict.fromkeys(loaders.CLASSES, Value(Kind.LOADER)),
    **dict.fromkeys((*optimizers.CLASSES, *optimizers.BASES), Value(Kind.OPTIMIZER)),
    **dict.fromkeys(optimizers.SCHEDULER_BASES, Value(Kind.SCHEDULER)),
    **{row.name: Value(Kind.SCALER) for row in precision.SCALERS},
}

_CONSTRUCTED = tuple(
    (lazy(pattern), value)
    for pattern, value in (
        (r"(Tokenizer\w{0,50}|Processor|FeatureExtractor|Config)(\.from_pretrained)?$", UNKNOWN),
        (r"^torch\.nn\.modules\.utils\.", Value(Kind.CONTAINER, element=NUMBER)),
        (samplers.ORIGIN, Value(Kind.SAMPLER)),
        (r"^torch\.utils\.data\.\w*(Dataset|Subset)$|^torchvision\.datasets\.", Value(Kind.DATASET)),
        (r"^torch\.(cuda|accelerator)\.(Event|Stream|current_stream|default_stream)$", Value(Kind.STREAM)),
        (r"^torch\.nn\.(\w+\.)*\w*Loss$", Value(Kind.MODULE, loss_function=True)),
        (r"^torch\.nn\.(parallel\.|modules\.)*([A-Z]\w*|\w*[a-z]_model)$", Value(Kind.MODULE)),
        (r"^torch\.(compile|jit\.script|jit\.trace)$|^torch\.distributed\.fsdp\.\w+$", Value(Kind.MODULE)),
        (r"^(torchvision|timm)\.(models\.\w+|create_model)", Value(Kind.MODULE, confidence=0.8)),
        (r"\.from_pretrained$|^transformers\.Auto\w+$", Value(Kind.MODULE, confidence=0.8)),
        (r"^(numpy|scipy|sklearn|pandas|polars)\.", Value(Kind.ARRAY)),
        (r"^(math|time|random|os\.environ|datetime|statistics|psutil)\.", NUMBER),
        (r"^torch\.get_default_dtype$", Value(Kind.DTYPE)),
        (r"^torch\.(finfo|iinfo)$", UNKNOWN),
        (r"^torch\.(\w+\.)*(is|are|has)_\w+$", NUMBER),
        (r"^torch\.(accelerator|jit|compiler|_dynamo|onnx|_C|version|overrides|library|mps|xpu|npu|hub)\.", UNKNOWN),
    )
)
"""What calling an imported name gives, by its dotted origin."""


@lru_cache(maxsize=4096)
def constructed(name: str) -> Value | None:
    """What calling an imported name gives, where the name alone tells."""
    if optimizers.SCHEDULER_ORIGIN.search(name):
        return Value(Kind.SCHEDULER)
    if optimizers.OPTIMIZER_ORIGIN.search(name):
        return Value(Kind.OPTIMIZER)
    if precision.is_scaler_class(name.rpartition(".")[2]):
        return Value(Kind.SCALER)
    if name in RETURNING_NORM:
        return Value(Kind.TENSOR, Home.DEVICE, False)
    for pattern, value in _CONSTRUCTED:
        if pattern.search(name):
            return value
    return None


def named_constant(origin: str) -> Value | None:
    """What an imported name stands for that is a data type, or a text that every module has; None for others."""
    name = origin.rpartition(".")[2]
    if name in _TEXTS_OF_MODULES:
        return Value(Kind.STRING)
    return Value(Kind.DTYPE) if name in _DTYPES and origin.startswith("torch.") else None


@lru_cache(maxsize=16384)
def by_name(name: str, device: Home) -> Value | None:
    """A guess from a name nothing else is known of. `device` is where tensors of this file live by default."""
    if CRITERION_NAME.search(name) and not LOSS_NAME.fullmatch(name) and not name.lower().endswith("_loss"):
        return Value(Kind.MODULE, confidence=0.7, loss_function=True, evidence=NAMED)
    if _MODULE_NAME.search(name):
        return Value(Kind.MODULE, confidence=0.8, evidence=NAMED)
    prefix = _OF_MODULE.search(name)
    if prefix is not None:
        return _of_module(name, by_name(name[prefix.end() :], device))
    if LOADER_NAME.search(name):
        return Value(Kind.LOADER, confidence=0.8, evidence=NAMED)
    if optimizers.OPTIMIZER_NAME.search(name):
        return Value(Kind.OPTIMIZER, confidence=0.8, evidence=NAMED)
    if SCALER_NAME.search(name):
        return Value(Kind.SCALER, confidence=0.7, evidence=NAMED)
    if DTYPE_NAME.search(name):
        return Value(Kind.DTYPE, confidence=0.9, evidence=NAMED)
    if DEVICE_NAME.search(name):
        return Value(Kind.DEVICE, confidence=0.9, evidence=NAMED)
    if NUMBER_NAME.search(name):
        return Value(Kind.NUMBER, confidence=0.8, evidence=NAMED)
    if LOSS_NAME.search(name):
        return Value(Kind.TENSOR, device, None, Origin.NAME, 0.75, evidence=NAMED)
    if TENSOR_NAME.search(name) and not _NO_TENSOR_NAME.search(name):
        return Value(Kind.TENSOR, device, None, Origin.NAME, 0.65, evidence=NAMED)
    return None


def _of_module(name: str, rest: Value | None) -> Value | None:
    """A guess from a name that begins with a module's, as `rest` is one from what follows: `model_inputs`."""
    if rest is not None and rest.kind in _MORE_THAN_PREFIX:
        return rest
    return Value(Kind.MODULE, confidence=0.8, evidence=NAMED) if names_module(name) else None


def names_module(name: str) -> bool:
    """Whether a name is one that modules have."""
    return bool(_MODULE_NAME.search(name) or (_OF_MODULE.search(name) and not _NO_MODULE_NAME.search(name)))
