"""What kernels do, by their names. CUDA and ROCm."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache


class KernelClass(Enum):
    """What a kernel is for."""

    MATRIX_PRODUCT = "matrix product"
    CONVOLUTION = "convolution"
    ATTENTION = "attention"
    COMMUNICATION = "communication"
    OPTIMIZER = "optimizer"
    NORMALIZATION = "normalization"
    REDUCTION = "reduction"
    EMBEDDING = "embedding"
    SORT = "sort and scan"
    COPY = "copy and layout"
    TRITON = "triton"
    ELEMENTWISE = "elementwise"
    OTHER = "other"


class Units(Enum):
    """Which units of the device do the arithmetic."""

    TENSOR_CORES = "tensor cores"
    """NVIDIA's tensor cores or AMD's matrix cores."""
    PLAIN = "plain"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a name tells of a kernel."""

    of: KernelClass
    units: Units = Units.UNKNOWN
    """Known for matrix products, convolutions and attention alone."""
    path: str = ""
    """Whose attention: "flash", "efficient", "cudnn"; or which optimizer's way: "foreach", "fused"."""
    double: bool = False
    """Arithmetic in float64, which no lower precision replaces."""


# The first that matches decides, and the order matters: an embedding's backward may hold its optimizer, a convolution
# is often computed as a matrix product and says both, and most of what PyTorch has is an elementwise_kernel.
_CLASSES = tuple(
    (of, re.compile(pattern, re.IGNORECASE))
    for of, pattern in (
        (KernelClass.COMMUNICATION, r"nccl(?:Dev)?Kernel|rccl|^nccl|mscclKernel|(?:one|two)ShotAllReduce"),
        (KernelClass.ATTENTION, r"flash|fmha|sdpa|attn|attention"),
        (KernelClass.EMBEDDING, r"embedding|index_?select|vectorized_gather|index_elementwise|indexing_backward"),
        (
            KernelClass.OPTIMIZER,
            r"multi_tensor|fused(?:adam|sgd|adagrad|lamb|lion)|(?:adam|sgd|adagrad|lamb|lion)_?\w*(?:kernel|update)",
        ),
        (
            KernelClass.NORMALIZATION,
            r"batch_?norm|cudnn::bn_|layer_?norm|group_?norm|RowwiseMoments|GammaBeta|rms_?norm",
        ),
        (
            KernelClass.COPY,
            r"direct_copy|copy_kernel|CatArray|transpose|nchwToNhwc|nhwcToNchw|SubTensor\w*Cast|permute|copy_async",
        ),
        (
            KernelClass.CONVOLUTION,
            r"conv(?!ert)|scudnn|[hs]884cudnn|1688cudnn|cutlass_cudnn|fprop|dgrad|wgrad|winograd|igemm_(?:fwd|bwd|wrw)"
            r"|fft2d|gcgemm|cudnn::cnn",
        ),
        (
            KernelClass.MATRIX_PRODUCT,
            r"(?<!fb)gemm|gemv|cutlass|cublas|cijk_|nvjet|splitK|xmma|_dot_kernel|matmul|triton_tem_",
        ),
        (KernelClass.TRITON, r"^triton_"),
        (KernelClass.SORT, r"radix_?sort|DeviceScan|DeviceReduceByKey|sortKV|bitonic|DeviceSelect|mergesort|TopK"),
        (KernelClass.REDUCTION, r"reduce_kernel|softmax|nll_?loss|NLLCriterion|cub::Device\w*Reduce|norm_kernel"),
        (KernelClass.ELEMENTWISE, r"elementwise|pointwise|SubTensorOp|dropout|scalePackedTensor"),
    )
)
# Instructions of tensor cores (884, 1688, 16816 are shapes of theirs), of AMD's matrix cores (mfma, xdlops, MI16x16),
# and libraries that use nothing else.
_TENSOR_CORES = re.compile(
    r"(?i)tensorop|(?<![a-z])[a-z]{0,2}(?:884|1688|16816|16832|161616)(?:gemm|cudnn|fprop|dgrad|wgrad|_)|hmma|wgmma|mma_sync"
    r"|_xmma_\w*(?:f16|bf16|tf32|e4m3|e5m2|i8)|nvjet|mfma|xdl|gtcx|_MI\d+x\d+|sm(?:90|100|120)_\w*gemm|h16816|cutlass3x_sm(?:90|100)"
)
_PLAIN_UNITS = re.compile(
    r"(?i)sgemm|dgemm|hgemm|cgemm|zgemm|gemv|simt|scudnn|winograd|(?:implicit|explicit)_convolve|dgrad_engine|wgrad_alg0|fft2d"
    r"|splitKreduce|Sp3AsmConv|cijk_(?!.*_MI\d+x)"
)
_DOUBLE = re.compile(r"(?i)dgemm|d884|zgemm|tensorop_d|_f64f64")
_ATTENTION_PATHS = (
    ("cudnn", re.compile(r"(?i)cudnn|sdpa_sm|_sdpa_")),
    ("efficient", re.compile(r"(?i)fmha_cutlass|efficient|fmha_kernel")),
    ("flash", re.compile(r"(?i)flash|attn_fwd|attn_bwd|fmha")),
)
# Whose kernels are written for such units alone.
_ATTENTION_UNITS = {"flash", "cudnn"}
# What a kernel takes says nothing of what it does: "cudnn::bn_fw_tr(cudnnTensorStruct, float const*)".
_PARAMETERS = re.compile(r"\((?!anonymous namespace\)).*", re.DOTALL)


@cache
def kind_of(name: str) -> Kind:
    """What a kernel is for, as its name tells."""
    name = _PARAMETERS.sub("", name)
    of = next((of for of, pattern in _CLASSES if pattern.search(name)), KernelClass.OTHER)
    path = ""
    units = Units.UNKNOWN
    if of is KernelClass.ATTENTION:
        path = next((path for path, pattern in _ATTENTION_PATHS if pattern.search(name)), "")
        if path in _ATTENTION_UNITS or _TENSOR_CORES.search(name):
            units = Units.TENSOR_CORES
    elif of is KernelClass.OPTIMIZER:
        path = "fused" if "fused" in name.lower() else "foreach" if "multi_tensor" in name else ""
    elif of in (KernelClass.MATRIX_PRODUCT, KernelClass.CONVOLUTION):
        if _TENSOR_CORES.search(name):
            units = Units.TENSOR_CORES
        elif _PLAIN_UNITS.search(name):
            units = Units.PLAIN
    return Kind(of, units, path, double=bool(_DOUBLE.search(name)))
