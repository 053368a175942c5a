"""What a trace on fake tensors counts, against what autograd keeps when the same models really run on the CPU.

Both run without oneDNN, whose recurrent layers keep a buffer of a size that only their kernels know.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402 - only where PyTorch is installed

from tests.planning.scripts import architectures  # noqa: E402
from trainlint.planning.activations import activations  # noqa: E402
from trainlint.planning.memory import memory  # noqa: E402
from trainlint.planning.model import model_of_parameters  # noqa: E402
from trainlint.planning.strategies import ONE  # noqa: E402
from trainlint.planning.training import Attention, Checkpointing, Precision, Training  # noqa: E402
from trainlint.planning.transformer import Transformer  # noqa: E402
from trainlint_probe.planned.inputs import Input  # noqa: E402
from trainlint_probe.planned.trace_child import saved, traced  # noqa: E402

ARCHITECTURES: dict[str, tuple[Callable[[], nn.Module], Input]] = {
    "mlp": (architectures.mlp, Input((32,))),
    "resnet": (architectures.resnet, Input((3, 32, 32))),
    "vit": (architectures.vit, Input((3, 32, 32))),
    "gpt": (architectures.gpt, Input((24,), tokens=True)),
    "bert": (architectures.bert, Input((24,), tokens=True)),
    "unet": (architectures.unet, Input((3, 32, 32))),
    "lstm": (architectures.lstm, Input((12, 16))),
    "mixture_of_experts": (architectures.mixture_of_experts, Input((24,), tokens=True)),
}
BATCH = 6


@pytest.mark.parametrize("precision", ["fp32", "autocast", "bf16"])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_the_trace_counts_what_a_real_forward_keeps(name: str, precision: str) -> None:
    build, item = ARCHITECTURES[name]
    answer = traced(f"tests.planning.scripts.architectures:{name}", precision, [item])
    forwards = answer["forwards"]
    assert isinstance(forwards, list)
    each = (forwards[1]["kept"] - forwards[0]["kept"]) / 2
    expected = forwards[0]["kept"] + (BATCH - 2) * each
    assert expected == pytest.approx(really_kept(build, item, precision), rel=0.05)
    assert answer["parameters"] == sum(weight.numel() for weight in build().parameters())


@pytest.mark.parametrize(("precision", "width"), [("fp32", 4), ("bf16", 2)])
def test_the_formula_for_transformers_is_near_the_trace(precision: str, width: int) -> None:
    """It leaves out what the loss and the embeddings of a small model keep: 4.5% here."""
    forwards = traced("tests.planning.scripts.architectures:gpt", precision, [Input((24,), tokens=True)])["forwards"]
    assert isinstance(forwards, list)
    each = (forwards[1]["kept"] - forwards[0]["kept"]) / 2
    numbers = Transformer(layers=3, hidden=64, heads=4, vocabulary=50, sequence=24, dropout=False)
    assert activations(numbers, 1, width, Attention.FUSED, Checkpointing.NONE) == pytest.approx(each, rel=0.06)


@pytest.mark.parametrize("name", ["GPT2Config", "BertConfig", "LlamaConfig"])
def test_weights_are_those_that_accelerate_estimates(name: str) -> None:
    """`accelerate estimate-memory` fetches models, and counts buffers, too: this is its function."""
    transformers = pytest.importorskip("transformers")
    accelerate = pytest.importorskip("accelerate.utils")
    with torch.device("meta"):
        model = transformers.AutoModel.from_config(getattr(transformers, name)(num_hidden_layers=2))
    buffers = sum(item.numel() * item.element_size() for item in model.buffers())
    parameters = sum(item.numel() for item in model.parameters())
    planned = memory(model_of_parameters(parameters), Training(precision=Precision.FP32), ONE)
    assert accelerate.calculate_maximum_sizes(model)[0] == planned.weights + buffers


def really_kept(build: Callable[[], nn.Module], item: Input, precision: str) -> int:
    """Bytes that autograd keeps of a forward on the CPU."""
    torch.manual_seed(0)
    model = build()
    dtype = torch.float32
    if precision == "bf16":
        model.to(torch.bfloat16)
        dtype = torch.bfloat16
    inputs = torch.randint(0, 8, (BATCH, *item.sizes)) if item.tokens else torch.randn(BATCH, *item.sizes, dtype=dtype)
    own = {weight.untyped_storage()._cdata for weight in (*model.parameters(), *model.buffers())}
    autocast = torch.autocast("cpu", dtype=torch.bfloat16) if precision == "autocast" else contextlib.nullcontext()
    with torch.backends.mkldnn.flags(enabled=False), autocast:
        kept, _ = saved(lambda: model(inputs), own)
    return kept
