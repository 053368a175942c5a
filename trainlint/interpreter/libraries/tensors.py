"""Attributes and methods of tensors, and functions of torch with the same names."""

from __future__ import annotations

import re
from typing import Final

from trainlint.analysis.tables.waits.operators import ANSWERS, OPERATORS


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


HOST_ATTRIBUTES: Final = _set(
    "shape ndim dtype is_cuda requires_grad layout names is_leaf itemsize nbytes is_sparse grad_fn"
)
SAME_ATTRIBUTES: Final = _set("data T mT real imag H")
"""Attributes that give a view of the tensor."""
HOST_FIELDS: Final = re.compile(r"(^|_)(shape|dims?|ndim|sizes?|dtype|name|names|mode|config|keys)$|^num_")
"""Attributes of structures that are no tensors."""
STRING_METHODS: Final = frozenset(dir(str)) - {"split", "index", "count"}
"""Methods of a key, where what is gone through may be a mapping. Tensors have the others."""
PLAIN_METHODS: Final = _set(
    "size dim ndimension numel nelement element_size stride data_ptr is_contiguous get_device is_floating_point"
    " storage_offset is_pinned is_complex has_names __len__ nnz _nnz sparse_size sparse_dim dense_dim"
)
"""Methods that answer with the host's knowledge."""
MASKS: Final = _set(
    "lt gt eq ne ge le less greater isnan isinf isfinite isclose logical_and logical_or logical_not logical_xor bool"
    " not_equal greater_equal less_equal BoolTensor isin any all signbit"
)
"""Functions and methods that give masks."""
KEEP_MASK: Final = _set(
    "view reshape unsqueeze squeeze expand expand_as flatten transpose permute t clone detach contiguous repeat to cuda"
    " cpu T flip roll masked_fill chunk split unbind narrow index_select gather cat stack broadcast_to view_as"
    " reshape_as swapaxes tile bitwise_and bitwise_or where pin_memory requires_grad_ tril triu movedim data concat"
)
"""Functions and methods whose result has the same kind of elements."""
OF_SHAPE: Final = _set("expand view reshape repeat expand_as view_as reshape_as")
"""Methods that take nothing of another tensor but its shape, or sizes."""
SEVERAL: Final = _set(
    "max min topk sort unbind chunk split kthvalue median mode cummax cummin svd qr meshgrid nonzero_tuple tensor_split"
    " unique lu eigh slogdet broadcast_tensors align_tensors std_mean var_mean frexp"
)
"""Functions and methods that may give several tensors."""
ONE_WITHOUT_ARGUMENTS: Final = _set("max min median mode unique")
KEEP_SOURCE: Final = _set("float long int half bool double add_ mul_ fill_ random_ normal_ uniform_ zero_")
"""Methods whose result was made of the same source."""
SIZED: Final = {name: row.shown for row in OPERATORS for name in row.sized}
"""Functions and methods that wait to know how large their result is."""
ANSWERING: Final = frozenset(name.rpartition(".")[2] for name in ANSWERS)
"""Functions and methods that answer yes or no in Python."""
FACTORIES: Final = _set(
    "zeros ones empty full arange linspace logspace eye rand randn randint randperm range hann_window hamming_window"
    " tril_indices triu_indices empty_strided"
)
FROM_DATA: Final = _set(
    "tensor as_tensor from_numpy Tensor FloatTensor LongTensor BoolTensor IntTensor DoubleTensor ByteTensor HalfTensor"
    " asarray frombuffer scalar_tensor"
)
BY_SIZE_OR_DATA: Final = _set("FloatTensor LongTensor Tensor ByteTensor")
"""Legacy constructors, which make a tensor of a size from numbers."""
PLAIN_FUNCTIONS: Final = _set(
    "is_tensor is_grad_enabled numel manual_seed is_floating_point finfo iinfo get_default_dtype is_autocast_enabled"
    " _is_checkpoint_valid"
)
HOST_ANSWERS: Final = re.compile(r"^(is|has)_(?!nonzero$)|^get_|_(count|available|enabled)$")
"""Names of functions of torch that ask the host: `torch.jit.is_scripting`, `torch.distributed.get_rank`."""
WITHOUT_TENSORS: Final = re.compile(
    r"torch\.(jit|compiler|_dynamo|cuda|backends|profiler|version|multiprocessing|overrides|hub|onnx|mps|xpu|cpu"
    r"|accelerator|futures|package|_C|_jit_internal)\."
)
"""Packages of torch whose functions give no tensors, but for types such as `torch.cuda.FloatTensor`."""
NO_VALUE_FUNCTIONS: Final = _set(
    "load Generator no_grad autocast enable_grad set_grad_enabled inference_mode save Size set_num_threads"
)
