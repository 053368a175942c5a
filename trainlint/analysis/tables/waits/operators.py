"""Operators of PyTorch that make the host wait for a CUDA device, by their names in ATen, each with its source.

A row says that the operator's kernel for CUDA, or the code that every device shares, reads a value of the device or
synchronises with it. Operators that have no row queue their work and return.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple


class When(Enum):
    """Under which circumstances an operator waits."""

    ALWAYS = auto()
    MASK_INDEX = auto()
    """An index on the device is a mask: the host must know how many elements it selects."""
    MASK_WRITE = auto()
    """Likewise, unless one number of the host is written: that fills, and needs no count."""
    NO_OUTPUT_SIZE = auto()
    """The size of the result is not given."""
    OTHER_VALUES = auto()
    """The shapes are equal and the tensors are not the same memory."""
    ONE_SAMPLE = auto()
    """One sample is drawn, or none is put back: the probabilities are checked."""
    DEVICE_VALUE = auto()
    """The value to fill in lies on the device."""
    EQUAL_BOUNDS = auto()
    """The bounds are equal, so that those of the data are taken."""
    MANY_TEST_ELEMENTS = auto()
    """There are so many elements to test for that both sides are sorted."""
    CHECKED = auto()
    """The argument `unsafe` is not set."""


class OperatorWait(NamedTuple):
    """One operator."""

    name: str
    """In ATen; with its overload behind a dot where others do not wait."""
    shown: str
    """As people know it."""
    source: str
    """A file below aten/src/ATen/native of PyTorch, in which the wait stands."""
    when: When = When.ALWAYS
    waits: int = 1
    """How often one call waits."""


OPERATORS = (
    OperatorWait("_local_scalar_dense", "read a number", "cuda/CUDAScalar.cu"),
    OperatorWait("nonzero", "torch.nonzero", "cuda/Nonzero.cu"),
    OperatorWait("masked_select", "torch.masked_select", "cuda/IndexKernel.cpp"),
    OperatorWait("index", "index by a mask", "IndexingUtils.h", When.MASK_INDEX),
    OperatorWait("_unsafe_index", "index by a mask", "IndexingUtils.h", When.MASK_INDEX),
    OperatorWait("index_put", "write by a mask", "TensorAdvancedIndexing.cpp", When.MASK_WRITE),
    OperatorWait("index_put_", "write by a mask", "TensorAdvancedIndexing.cpp", When.MASK_WRITE),
    OperatorWait("_index_put_impl_", "write by a mask", "TensorAdvancedIndexing.cpp", When.MASK_WRITE),
    OperatorWait("_unsafe_index_put", "write by a mask", "TensorAdvancedIndexing.cpp", When.MASK_WRITE),
    OperatorWait("_unique", "torch.unique", "cuda/Unique.cu"),
    OperatorWait("_unique2", "torch.unique", "cuda/Unique.cu"),
    OperatorWait("unique_dim", "torch.unique", "cuda/Unique.cu"),
    OperatorWait("unique_consecutive", "torch.unique_consecutive", "cuda/Unique.cu"),
    OperatorWait("unique_dim_consecutive", "torch.unique_consecutive", "cuda/Unique.cu"),
    OperatorWait("bincount", "torch.bincount", "cuda/SummaryOps.cu"),
    OperatorWait("histc", "torch.histc", "cuda/SummaryOps.cu", When.EQUAL_BOUNDS),
    OperatorWait("equal", "torch.equal", "cuda/Equal.cpp", When.OTHER_VALUES),
    OperatorWait("allclose", "torch.allclose", "TensorCompare.cpp"),
    OperatorWait("repeat_interleave.Tensor", "torch.repeat_interleave", "Repeat.cpp", When.NO_OUTPUT_SIZE),
    OperatorWait("multinomial", "torch.multinomial", "Distributions.cpp", When.ONE_SAMPLE, waits=2),
    OperatorWait("normal.Tensor_Tensor", "torch.normal", "DistributionTemplates.h"),
    OperatorWait("normal.float_Tensor", "torch.normal", "DistributionTemplates.h"),
    OperatorWait("masked_fill.Tensor", "masked_fill", "cuda/Indexing.cu", When.DEVICE_VALUE),
    OperatorWait("masked_fill_.Tensor", "masked_fill_", "cuda/Indexing.cu", When.DEVICE_VALUE),
    OperatorWait("isin.Tensor_Tensor", "torch.isin", "TensorCompare.cpp", When.MANY_TEST_ELEMENTS),
    OperatorWait("embedding_renorm_", "embedding with max_norm", "cuda/Embedding.cu"),
    OperatorWait("segment_reduce", "torch.segment_reduce", "SegmentReduce.cpp", When.CHECKED),
    OperatorWait("_linalg_check_errors", "torch.linalg: check of the result", "BatchLinearAlgebra.cpp"),
    OperatorWait("_linalg_eigh", "torch.linalg.eigh", "BatchLinearAlgebra.cpp"),
    OperatorWait("_linalg_svd", "torch.linalg.svd", "BatchLinearAlgebra.cpp"),
    OperatorWait("linalg_eig", "torch.linalg.eig", "BatchLinearAlgebra.cpp"),
    OperatorWait("linalg_lstsq", "torch.linalg.lstsq", "BatchLinearAlgebra.cpp"),
)
