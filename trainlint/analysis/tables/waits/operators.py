"""Operators of PyTorch that make the host wait for a CUDA device, by their names in ATen, each with its source.

The simulated device counts by these rows, and what static rules know of functions that wait is derived from them, or
compared with what the device does (`tests/probe/simulated/test_one_table.py`).

A row says that the operator's kernel for CUDA, or the code that every device shares, reads a value of the device or
synchronises with it. Operators that have no row queue their work and return. Each row was compared with the source of
PyTorch, or, where all devices share the code, with what torch 2.13 executes for it; a comment names those that were
not.
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
    """There are so many elements to test for that the different ones of both sides are sorted."""
    CHECKED = auto()
    """Lengths are given, and the argument `unsafe` is not."""


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
    until: tuple[int, int] | None = None
    """The first version of PyTorch that checks on the device instead, and does not wait."""
    sized: tuple[str, ...] = ()
    """Methods of tensors, and functions of torch, that wait by it to know how large their result is."""
    answers: tuple[str, ...] = ()
    """Likewise, those that answer yes or no in Python."""
    integers: bool = False
    """Whether what these methods give holds indices or counts, whatever the tensor is made of."""


class OperatorUpload(NamedTuple):
    """An operator that sends lists of numbers to the device, which makes the host stand still."""

    name: str
    shown: str
    source: str
    copies: int


OPERATORS = (
    OperatorWait("_local_scalar_dense", "read a number", "cuda/CUDAScalar.cu", answers=("is_nonzero",)),
    OperatorWait("nonzero", "torch.nonzero", "cuda/Nonzero.cu", sized=("nonzero", "argwhere"), integers=True),
    OperatorWait("masked_select", "torch.masked_select", "cuda/IndexKernel.cpp", sized=("masked_select",)),
    OperatorWait("index", "index by a mask", "IndexingUtils.h", When.MASK_INDEX),
    OperatorWait("_unsafe_index", "index by a mask", "IndexingUtils.h", When.MASK_INDEX),
    OperatorWait("index_put", "write by a mask", "TensorAdvancedIndexingUtils.h", When.MASK_WRITE),
    OperatorWait("index_put_", "write by a mask", "TensorAdvancedIndexingUtils.h", When.MASK_WRITE),
    OperatorWait("_index_put_impl_", "write by a mask", "TensorAdvancedIndexingUtils.h", When.MASK_WRITE),
    OperatorWait("_unsafe_index_put", "write by a mask", "TensorAdvancedIndexingUtils.h", When.MASK_WRITE),
    OperatorWait("_unique", "torch.unique", "cuda/Unique.cu"),
    OperatorWait("_unique2", "torch.unique", "cuda/Unique.cu", sized=("unique",)),
    OperatorWait("unique_dim", "torch.unique", "cuda/Unique.cu"),
    OperatorWait("unique_consecutive", "torch.unique_consecutive", "cuda/Unique.cu", sized=("unique_consecutive",)),
    OperatorWait("unique_dim_consecutive", "torch.unique_consecutive", "cuda/Unique.cu"),
    # The smallest value and the largest are read; of unsigned bytes the largest alone.
    OperatorWait("bincount", "torch.bincount", "cuda/SummaryOps.cu", waits=2, sized=("bincount",), integers=True),
    OperatorWait("histc", "torch.histc", "cuda/SummaryOps.cu", When.EQUAL_BOUNDS, waits=2),
    OperatorWait("equal", "torch.equal", "cuda/Equal.cpp", When.OTHER_VALUES, answers=("equal",)),
    OperatorWait("allclose", "torch.allclose", "TensorCompare.cpp", answers=("allclose",)),
    # The sum of the repeats, and whether all are positive.
    OperatorWait("repeat_interleave.Tensor", "torch.repeat_interleave", "Repeat.h", When.NO_OUTPUT_SIZE, waits=2),
    # Two reads until pull request 134818 of August 2024; the version is taken from that date.
    OperatorWait("multinomial", "torch.multinomial", "Distributions.cpp", When.ONE_SAMPLE, waits=2, until=(2, 6)),
    # The standard deviations are checked when the result is made, and again when it is filled.
    OperatorWait("normal.Tensor_Tensor", "torch.normal", "DistributionTemplates.h", waits=2, until=(2, 14)),
    OperatorWait("normal.float_Tensor", "torch.normal", "DistributionTemplates.h", waits=2, until=(2, 14)),
    OperatorWait("normal.Tensor_Tensor_out", "torch.normal", "DistributionTemplates.h", until=(2, 14)),
    OperatorWait("normal.float_Tensor_out", "torch.normal", "DistributionTemplates.h", until=(2, 14)),
    OperatorWait("masked_fill.Tensor", "masked_fill", "cuda/Indexing.cu", When.DEVICE_VALUE),
    OperatorWait("masked_fill_.Tensor", "masked_fill_", "cuda/Indexing.cu", When.DEVICE_VALUE),
    OperatorWait("index_fill.int_Tensor", "index_fill", "TensorAdvancedIndexing.cpp", When.DEVICE_VALUE),
    OperatorWait("index_fill_.int_Tensor", "index_fill_", "TensorAdvancedIndexing.cpp", When.DEVICE_VALUE),
    OperatorWait("linspace.Tensor_Tensor", "torch.linspace", "RangeFactories.cpp", waits=2),
    OperatorWait("linspace.Tensor_Scalar", "torch.linspace", "RangeFactories.cpp"),
    OperatorWait("linspace.Scalar_Tensor", "torch.linspace", "RangeFactories.cpp"),
    OperatorWait("logspace.Tensor_Tensor", "torch.logspace", "RangeFactories.cpp", waits=2),
    OperatorWait("logspace.Tensor_Scalar", "torch.logspace", "RangeFactories.cpp"),
    OperatorWait("logspace.Scalar_Tensor", "torch.logspace", "RangeFactories.cpp"),
    OperatorWait("isin.Tensor_Tensor", "torch.isin", "TensorCompare.cpp", When.MANY_TEST_ELEMENTS, waits=2),
    OperatorWait("segment_reduce", "torch.segment_reduce", "SegmentReduce.cpp", When.CHECKED, waits=2),
    OperatorWait("_linalg_check_errors", "torch.linalg: check of the result", "BatchLinearAlgebra.cpp"),
    OperatorWait("cholesky", "torch.cholesky", "BatchLinearAlgebra.cpp"),
    OperatorWait("cholesky_inverse", "torch.cholesky_inverse", "BatchLinearAlgebra.cpp"),
    OperatorWait("_linalg_eigh", "torch.linalg.eigh", "BatchLinearAlgebra.cpp"),
    # Whether gesvdj, the default driver of cuSOLVER, has converged is read first; then the result is checked.
    OperatorWait("_linalg_svd", "torch.linalg.svd", "cuda/linalg/BatchLinearAlgebraLib.cpp", waits=2),
    # As svd; of a matrix that is said to be Hermitian one.
    OperatorWait("linalg_pinv.atol_rtol_tensor", "torch.linalg.pinv", "LinearAlgebra.cpp", waits=2),
    # The input is checked, and the result. What else the kernel for CUDA copies was not looked up.
    OperatorWait("linalg_eig", "torch.linalg.eig", "BatchLinearAlgebra.cpp", waits=2),
    # Not looked up for CUDA: the check of the result that the CPU makes.
    OperatorWait("linalg_lstsq", "torch.linalg.lstsq", "BatchLinearAlgebra.cpp"),
    # At least: batches copy their indices as well, and large norms are read again.
    OperatorWait("linalg_matrix_exp", "torch.linalg.matrix_exp", "LinearAlgebra.cpp"),
    OperatorWait("_to_sparse", "Tensor.to_sparse", "TensorConversions.cpp"),
    OperatorWait("_coalesce", "Tensor.coalesce", "sparse/cuda/SparseCUDATensor.cu"),
)
ANSWERS = tuple(f"torch.{name}" for row in OPERATORS for name in row.answers)
"""Functions of PyTorch that answer yes or no in Python."""
UPLOADS = (
    # Both lengths, and where each target begins.
    OperatorUpload("_ctc_loss", "ctc_loss: lengths", "cuda/LossCTC.cu", 3),
    OperatorUpload("_ctc_loss_backward", "ctc_loss: lengths", "cuda/LossCTC.cu", 3),
)
