"""Names by which the code of a file shows what it deals with: 16 bits, compiling, weights of others.

A sign is weaker than a fact of the way into a loop (`fact_kinds`): an option called `--amp` shows that somebody has
thought of mixed precision, not that it is on. Rules ask for signs where that is a reason to say nothing, and where
what they would have to know stands in other files. Each word belongs to one sign; a test holds it.
"""

from __future__ import annotations

from typing import NamedTuple

from trainlint.analysis.tables.parallel import Wrapper, called_as, name_of
from trainlint.analysis.tables.precision import AUTOCAST


class Sign(NamedTuple):
    """Names that show one subject. One of them is enough."""

    words: frozenset[str] = frozenset()
    """Words of identifiers, modules and string values, as `trainlint.analysis.syntax.code_names` splits them."""
    origins: frozenset[str] = frozenset()
    """Dotted origins: what is imported from there, or from below."""
    attributes: frozenset[str] = frozenset()
    """Whole names of attributes, methods and keyword arguments, for words that variables have, too."""


def _sign(words: str = "", *, origins: str = "", attributes: str = "") -> Sign:
    return Sign(frozenset(words.split()), frozenset(origins.split()), frozenset(attributes.split()))


# Precision
AUTOCASTS = _sign(AUTOCAST.name)
FLOAT16 = _sign("float16 fp16 half_tensor 16_mixed", origins="torch.half", attributes="half")
BFLOAT16 = _sign("bfloat16 bf16")
HALF = (AUTOCASTS, FLOAT16, BFLOAT16)
MIXED_PRECISION = _sign("mixed_precision amp apex")
PRECISION = _sign("precision")
"""Also a measure of a classifier."""
LOSS_SCALING = _sign(
    "scaler scalers gradscaler lossscaler loss_scale loss_scaler loss_scales loss_scaling lossscale scale_loss"
)
TF32 = _sign("tf32 matmul_precision fp32_precision")
FLOAT64 = _sign("float64 double_tensor", attributes="double", origins="torch.double")
QUANTISED = _sign(
    "quantize quantized quantizer quantizers quantization quantise quantised quantiser quantisation int8",
)

# What is trained, and on what
TINY_IMAGES = _sign("mnist fashionmnist kmnist emnist")
SMALL_IMAGES = _sign("cifar")
GRAPHS = _sign("torch_geometric dgl", origins="torch_geometric dgl")
SIMULATORS = _sign("gym gymnasium")
SMALL = (TINY_IMAGES, GRAPHS, SIMULATORS)
"""Training that large matrix products do not fill."""
CHANGING_SHAPES = _sign("detection nested_tensor pack_padded_sequence")
SECOND_DERIVATIVES = _sign("create_graph", origins="torch.autograd.grad")
ACCELERATOR = _sign("accelerator accelerators")

# Devices
CUDA = _sign("cuda gpu gpus")
MOVES = _sign("to_device", attributes="to cuda")

# Layers
MEMORY_FORMATS = _sign("channels_last memory_format")

# Other ways to run it
COMPILES = _sign(
    "compile compiled compiler compilers compiles compiling compilation dynamo inductor",
    origins="torch.compile torch.compiler torch._dynamo",
)
GRAPH_CAPTURE = _sign("cuda_graph cuda_graphs cudagraph cudagraphs make_graphed_callables")
XLA = _sign("xla")
WINDOWS = _sign("windows win32")
SCRIPTS = _sign("jit", origins="torch.jit")
ANY_COMPILER = (COMPILES, SCRIPTS, GRAPH_CAPTURE, XLA)
"""Each way to run a network other than operation by operation."""
OWN_KERNELS = _sign("cpp_extension cpp_extensions cuda_ext")
REMOTE = _sign("rpc_sync rpc_async", origins="torch.distributed.rpc")
ONNX = _sign("onnx onnxruntime")
SERVES = _sign("torchscript torch_script is_scripting is_tracing caffe2 deploy deploys deployed deployment")
SAVED_SCRIPTS = _sign(
    origins="torch.jit.save torch.jit.trace torch.jit.is_scripting torch.jit.is_tracing torch.jit.freeze "
    "torch.jit.export torch.jit.ignore torch.jit.unused torch.jit.script_if_tracing torch.jit.optimize_for_inference"
)
"""What TorchScript is for besides speed."""

GEMMA = _sign("gemma")
"""Models whose authors recommend eager attention in training."""

# Devices and processes
ANY_ACCELERATOR = _sign(origins="torch.accelerator")
MPS = _sign("mps")
TPUS = _sign("tpu tpus hpu hpus neuron neuronx")
OTHER_CHIPS = _sign("xpu npu hccl")
PLATFORMS = _sign("nt darwin", origins="sys.platform platform")
NO_GPU = _sign("use_cpu no_cuda use_mps")
NCCL = _sign("nccl")
OWN_GROUPS = _sign("new_group")
SHARDED = _sign(
    " ".join(name.lower() for name in sorted(called_as(Wrapper.FSDP1)))
    + " fully_sharded_data_parallel zero_redundancy_optimizer device_map"
)
"""A model, or its optimizer's states, cut into pieces that lie on several devices."""
FSDP2 = _sign(f"{name_of(Wrapper.FSDP2)} fsdp2 fsdp_2 fsdp_version fsdpversion")
DEEPSPEED = _sign("deepspeed")
SEQUENCE_PARALLEL = _sign("sequence_parallel ulysses")

# Gradients
_CLEARING = ("zero", "reset", "clear")
_GRADIENTS = ("grad", "grads", "gradient", "gradients")
CLEARED_GRADIENTS = _sign(
    " ".join(f"{verb}{between}{noun}" for verb in _CLEARING for between in ("", "_", "_the_") for noun in _GRADIENTS)
    + " foreach_zero set_to_none optimizer_in_bwd closure",
    attributes="register_post_accumulate_grad_hook",
)
"""Functions and options that clear gradients, and a closure that does both backward and step."""
STATIC_GRADIENTS = _sign("main_grad", origins="torch.cuda.graph")
"""Gradients in buffers, which stay where they are."""
DIVIDED_LOSSES = _sign(
    "grad_scale loss_scale_factor sync_gradients num_items num_tokens num_target_tokens num_valid normalize_loss "
    "normalise_loss "
    + " ".join(f"{verb}_{noun}" for verb in ("scale", "normalize", "normalise") for noun in _GRADIENTS)
)
"""Losses or gradients that are divided by something else than the number of micro-batches."""

# Models and their weights
ADAPTERS = _sign("peft lora loras qlora adapter adapters")
FEW_BITS = _sign("bits_and_bytes bitsandbytes load_in_8bit load_in_4bit 8bit 4bit gptq awq")
SMALL_STATES = _sign("adafactor galore")
"""Optimizers that keep less than two numbers for each weight."""
FP8 = _sign("fp8 float8")
STATIC_SHAPES = _sign("static")
IMAGES_WITH_CAPTIONS = _sign("diffusers clip_text pixel_values instance_image instance_images unet vae")
