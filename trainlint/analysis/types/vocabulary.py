"""What PyTorch's own names return, and what people's names usually mean."""

from __future__ import annotations

import re
from functools import lru_cache

from trainlint.analysis.tables import loaders, optimizers, parallel, precision, samplers
from trainlint.analysis.tables.clipping import RETURNING_NORM
from trainlint.analysis.tables.ranks import NUMBER_FUNCTIONS
from trainlint.analysis.types.batch_sources import LOADER_NAME
from trainlint.analysis.types.values import NONE, NUMBER, STRING, TENSOR, UNKNOWN, Kind, Origin, Value
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

_NAMES = (
    (LOADER_NAME, Kind.LOADER),
    (optimizers.OPTIMIZER_NAME, Kind.OPTIMIZER),
    (SCALER_NAME, Kind.SCALER),
    (DTYPE_NAME, Kind.DTYPE),
    (DEVICE_NAME, Kind.DEVICE),
    (NUMBER_NAME, Kind.NUMBER),
)
"""The first that fits says what a name means."""

ANNOTATIONS = {
    "Tensor": TENSOR,
    "FloatTensor": TENSOR,
    "LongTensor": TENSOR,
    "BoolTensor": TENSOR,
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
        (r"^torch\.nn\.modules\.utils\.", Value(Kind.CONTAINER)),
        (samplers.ORIGIN, UNKNOWN),
        (r"^torch\.utils\.data\.\w*(Dataset|Subset)$|^torchvision\.datasets\.", Value(Kind.DATASET)),
        (r"^torch\.(cuda|accelerator)\.(Event|Stream|current_stream|default_stream)$", UNKNOWN),
        (r"^torch\.nn\.(\w+\.)*\w*Loss$", Value(Kind.MODULE, loss_function=True)),
        (r"^torch\.nn\.(parallel\.|modules\.)*([A-Z]\w*|\w*[a-z]_model)$", Value(Kind.MODULE)),
        (r"^torch\.(compile|jit\.script|jit\.trace)$|^torch\.distributed\.fsdp\.\w+$", Value(Kind.MODULE)),
        (r"^(torchvision|timm)\.(models\.\w+|create_model)", Value(Kind.MODULE)),
        (r"\.from_pretrained$|^transformers\.Auto\w+$", Value(Kind.MODULE)),
        (r"^(numpy|scipy|sklearn|pandas|polars)\.", Value(Kind.ARRAY)),
        (r"^(math|time|random|os\.environ|datetime|statistics|psutil)\.", NUMBER),
        (r"^torch\.get_default_dtype$", Value(Kind.DTYPE)),
        (r"^torch\.(finfo|iinfo)$", UNKNOWN),
        (r"^torch\.(\w+\.)*(is|are|has)_\w+$", NUMBER),
        (r"^torch\.(accelerator|jit|compiler|_dynamo|onnx|_C|version|overrides|library|mps|xpu|npu|hub)\.", UNKNOWN),
    )
)
"""What calling an imported name gives, by its dotted origin."""


_NO_TENSORS = ("torch.distributed.", "torch.utils.", "torch.cuda.", "torch.backends.", "torch.optim.", "torch.version.")
_STORED = frozenset({"torch.load", "torch.save", "torch.hub.load"})
_PREDICATE = lazy(r"^_?(is|has|are|can)_")
"""Functions that answer yes or no in Python. Those of tensors are called isnan, isinf, isclose."""


@lru_cache(maxsize=4096)
def constructed(origin: str, name: str) -> Value | None:
    """What calling an imported name gives, where the name alone tells. `name` is the last part of its origin."""
    if loaders.is_loader_class(name):
        return Value(Kind.LOADER)
    if parallel.wraps_model(name):
        return Value(Kind.MODULE)
    if origin == "torch.device":
        return Value(Kind.DEVICE)
    if origin.startswith("torch.") and name in FACTORIES | LIKE_FACTORIES and not origin.startswith("torch.nn"):
        return Value(Kind.TENSOR, dropped_graph=True)
    stepped = _stepped(origin, name)
    if stepped is not None:
        return Value(stepped)
    if origin in RETURNING_NORM:
        return TENSOR
    if origin.startswith("torch.") and name in TORCH_NUMBERS:
        return NUMBER
    for pattern, value in _CONSTRUCTED:
        if pattern.search(origin):
            return value
    return _computed_by_torch(origin, name) if origin.startswith("torch.") else _of_library(name)


def _stepped(origin: str, name: str) -> Kind | None:
    """The kind of an optimizer, scheduler or scaler that a class makes; None for other names."""
    if optimizers.SCHEDULER_ORIGIN.search(origin):
        return Kind.SCHEDULER
    if optimizers.OPTIMIZER_ORIGIN.search(origin):
        return Kind.OPTIMIZER
    return Kind.SCALER if precision.is_scaler_class(name) else None


def _computed_by_torch(origin: str, name: str) -> Value | None:
    """What a function of PyTorch gives: tensors, but for classes, helpers of its own and what loads anything."""
    if origin in _STORED or origin.startswith(_NO_TENSORS):
        return None
    if name[:1].isupper() and not origin.startswith("torch.nn.functional"):
        return None
    loss = origin.startswith("torch.nn.functional.") and LOSS_FUNCTIONS.search(name)
    return Value(Kind.TENSOR, Origin.LOSS if loss else Origin.OTHER, dropped_graph=name in DETACHING)


def _of_library(name: str) -> Value | None:
    """What a function of another library gives, by its name."""
    if not name[:1].isupper() and _PREDICATE.match(name):
        return NUMBER
    is_loss = CRITERION_NAME.search(name) or LOSS_FUNCTIONS.search(name)
    return Value(Kind.TENSOR, Origin.LOSS, proved=False) if is_loss and not name[:1].isupper() else None


BUILTINS = {
    **dict.fromkeys("float int bool len round ord isinstance hasattr id hash any all callable".split(), NUMBER),
    **dict.fromkeys("str repr format input".split(), STRING),
    **dict.fromkeys("list tuple dict set".split(), Value(Kind.CONTAINER)),
    "print": NONE,
}
"""What built-in functions give."""


def named_constant(origin: str) -> Value | None:
    """What an imported name stands for that is a data type, or a text that every module has; None for others."""
    name = origin.rpartition(".")[2]
    if name in _TEXTS_OF_MODULES:
        return Value(Kind.STRING)
    return Value(Kind.DTYPE) if name in _DTYPES and origin.startswith("torch.") else None


@lru_cache(maxsize=16384)
def by_name(name: str) -> Value | None:
    """A guess from a name nothing else is known of."""
    if CRITERION_NAME.search(name) and not LOSS_NAME.fullmatch(name) and not name.lower().endswith("_loss"):
        return Value(Kind.MODULE, proved=False, loss_function=True)
    if _MODULE_NAME.search(name):
        return Value(Kind.MODULE, proved=False)
    prefix = _OF_MODULE.search(name)
    if prefix is not None:
        return _of_module(name, by_name(name[prefix.end() :]))
    kind = next((kind for pattern, kind in _NAMES if pattern.search(name)), None)
    if kind is not None:
        return Value(kind, proved=False)
    if LOSS_NAME.search(name) or (TENSOR_NAME.search(name) and not _NO_TENSOR_NAME.search(name)):
        return Value(Kind.TENSOR, proved=False)
    return None


def _of_module(name: str, rest: Value | None) -> Value | None:
    """A guess from a name that begins with a module's, as `rest` is one from what follows: `model_inputs`."""
    if rest is not None and rest.kind in _MORE_THAN_PREFIX:
        return rest
    return Value(Kind.MODULE, proved=False) if names_module(name) else None


def names_module(name: str) -> bool:
    """Whether a name is one that modules have."""
    return bool(_MODULE_NAME.search(name) or (_OF_MODULE.search(name) and not _NO_MODULE_NAME.search(name)))
