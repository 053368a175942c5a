"""Figures that others have published, by the formulas of the planner."""

from __future__ import annotations

import pytest

from trainlint.planning.activations import activations, activations_by_kind, layer_activations
from trainlint.planning.fits import largest_model
from trainlint.planning.memory import memory
from trainlint.planning.model import model_of_parameters, model_of_transformer
from trainlint.planning.states import state_bytes
from trainlint.planning.strategies import DDP, ONE, ZERO_1, ZERO_2, ZERO_3, Strategy
from trainlint.planning.training import OPTIMIZERS, Attention, Checkpointing, Cluster, Optimizer, Precision, Training
from trainlint.planning.transformer import Transformer

ADAM = OPTIMIZERS[2]
GPT_2 = Transformer(layers=48, hidden=1600, heads=25, vocabulary=50257, sequence=1024)


def optimizer(name: str) -> Optimizer:
    return next(item for item in OPTIMIZERS if item.name == name)


@pytest.mark.parametrize(("strategy", "gigabytes"), [(DDP, 120), (ZERO_1, 31.4), (ZERO_2, 16.6), (ZERO_3, 1.9)])
def test_states_of_7_5_billion_parameters_on_64_gpus(strategy: Strategy, gigabytes: float) -> None:
    """ZeRO, figure 1: 16 bytes a parameter in 16-bit training with Adam."""
    training = Training(precision=Precision.MIXED, optimizer=ADAM, cluster=Cluster(gpus=64, nodes=8))
    held = memory(model_of_parameters(7.5e9), training, strategy)
    assert held.states / 1e9 == pytest.approx(gigabytes, rel=0.02)


@pytest.mark.parametrize(
    ("gpus", "figures"), [(4, (52.5, 41.25, 30)), (16, (35.6, 21.6, 7.5)), (1024, (30.1, 15.1, 0.12))]
)
def test_states_of_7_5_billion_parameters_by_the_number_of_gpus(gpus: int, figures: tuple[float, ...]) -> None:
    """ZeRO, table 1."""
    training = Training(precision=Precision.MIXED, optimizer=ADAM, cluster=Cluster(gpus=gpus))
    for strategy, gigabytes in zip((ZERO_1, ZERO_2, ZERO_3), figures, strict=True):
        held = memory(model_of_parameters(7.5e9), training, strategy)
        assert held.states / 1e9 == pytest.approx(gigabytes, rel=0.03)


@pytest.mark.parametrize(("strategy", "billions"), [(DDP, 2), (ZERO_1, 7.6), (ZERO_2, 14.4), (ZERO_3, 128)])
def test_the_largest_model_on_64_gpus_of_32_gb(strategy: Strategy, billions: float) -> None:
    """ZeRO, table 2, without model parallelism."""
    found = largest_model(Precision.MIXED, ADAM, Cluster(gpus=64, nodes=4, memory=32e9), strategy)
    assert found / 1e9 == pytest.approx(billions, rel=0.01)


def test_states_of_gpt_2() -> None:
    """ZeRO, section 3.1: 1.5 billion parameters need at least 24 GB in 16-bit training with Adam."""
    model = model_of_transformer("GPT-2", GPT_2)
    held = memory(model, Training(precision=Precision.MIXED, optimizer=ADAM), ONE)
    assert held.states / 1e9 == pytest.approx(24, rel=0.05)


def test_activations_of_gpt_2_with_written_out_attention() -> None:
    """ZeRO, section 3.2: 60 GB for a batch of 32 with 1,024 tokens, 8 GB with checkpointing.

    The paper counts 12 elements for each hidden unit, token and layer, fewer than a layer keeps by the later count of
    Korthikanti et al., so that 60 GB are the least, and 34 bytes for 24 are what a fused kernel keeps.
    """
    fused = activations(GPT_2, 32, 2, Attention.FUSED, Checkpointing.NONE)
    assert fused / 1e9 == pytest.approx(60.4 * 34 / 24, rel=0.02)
    checkpointed = activations(GPT_2, 32, 2, Attention.FUSED, Checkpointing.FULL)
    assert checkpointed / 1e9 == pytest.approx(6.8, rel=0.02)


def test_weights_of_vgg16() -> None:
    """138,357,544 weights in float32 take 528 MB (of 2^20 bytes)."""
    held = memory(model_of_parameters(138_357_544), Training(precision=Precision.FP32), ONE)
    assert held.weights / 2**20 == pytest.approx(528, rel=0.001)


@pytest.mark.parametrize(
    ("name", "gigabytes"), [("adamw", 24), ("adamw-8bit", 6), ("momentum", 12), ("sgd", 0), ("adafactor", 0)]
)
def test_states_of_optimizers_for_3_billion_parameters(name: str, gigabytes: float) -> None:
    """8, 2, 4 and 0 bytes a parameter. Of Adafactor 4 are often named as a bound: torch's keeps rows and columns."""
    held = memory(model_of_parameters(3e9), Training(precision=Precision.FP32, optimizer=optimizer(name)), ONE)
    assert held.optimizer / 1e9 == gigabytes


MEGATRON = {
    "22B": Transformer(layers=48, hidden=6144, heads=64, vocabulary=51200, sequence=2048),
    "175B": Transformer(layers=96, hidden=12288, heads=96, vocabulary=51200, sequence=2048),
    "530B": Transformer(layers=105, hidden=20480, heads=128, vocabulary=51200, sequence=2048),
    "1T": Transformer(layers=128, hidden=25600, heads=160, vocabulary=51200, sequence=2048),
}


@pytest.mark.parametrize(("name", "billions"), [("22B", 22), ("175B", 175), ("530B", 530), ("1T", 1000)])
def test_parameters_of_the_models_of_megatron(name: str, billions: float) -> None:
    """Korthikanti et al., table 3."""
    assert MEGATRON[name].parameters / 1e9 == pytest.approx(billions, rel=0.01)


@pytest.mark.parametrize(("name", "scores"), [("175B", 80), ("530B", 64)])
def test_the_scores_of_attention_in_the_models_of_megatron(name: str, scores: float) -> None:
    """Korthikanti et al., section 5: 5as/h beside 34."""
    model = MEGATRON[name]
    tokens = model.sequence * model.hidden
    layer = layer_activations(model, 1, 2, Attention.MATERIALISED)
    assert layer.scores / tokens == pytest.approx(scores)
    assert layer.total / tokens == pytest.approx(34 + scores)


@pytest.mark.parametrize(("name", "saved"), [("175B", 0.70), ("530B", 0.65)])
def test_what_selective_recomputation_saves(name: str, saved: float) -> None:
    """Korthikanti et al., section 5: 70% and 65% of the activations."""
    model = MEGATRON[name]
    whole = activations(model, 1, 2, Attention.MATERIALISED, Checkpointing.NONE)
    selective = activations(model, 1, 2, Attention.MATERIALISED, Checkpointing.SELECTIVE)
    assert 1 - selective / whole == pytest.approx(saved, abs=0.01)


@pytest.mark.parametrize("checkpointing", Checkpointing)
@pytest.mark.parametrize("attention", Attention)
def test_the_kinds_of_activations_are_all_of_them(attention: Attention, checkpointing: Checkpointing) -> None:
    model = MEGATRON["22B"]
    kinds = activations_by_kind(model, 2, 2, attention, checkpointing)
    assert sum(value for _, value in kinds) == pytest.approx(activations(model, 2, 2, attention, checkpointing))


def test_full_recomputation_keeps_the_input_of_each_layer() -> None:
    """Korthikanti et al., table 2: 2sbh for each layer, and here the layer that is computed again."""
    model = MEGATRON["22B"]
    kept = activations(model, 4, 2, Attention.FUSED, Checkpointing.FULL)
    layer = layer_activations(model, 4, 2, Attention.FUSED).total
    assert kept - layer == pytest.approx(2 * model.sequence * 4 * model.hidden * model.layers)


@pytest.mark.parametrize(
    ("precision", "total"),
    [(Precision.FP32, 16), (Precision.AUTOCAST, 16), (Precision.MIXED, 16), (Precision.BF16, 8)],
)
def test_bytes_a_parameter_with_adam(precision: Precision, total: int) -> None:
    assert state_bytes(precision, ADAM).total == total


@pytest.mark.parametrize(("strategy", "whole", "more"), [(ZERO_2, 2, 4), (ZERO_3, 0, 2)])
def test_estimates_of_deepspeed_for_the_same_model(strategy: Strategy, whole: int, more: int) -> None:
    """`estimate_zero2_model_states_mem_needs` and `estimate_zero3_...` of DeepSpeed 0.19.8, without offloading.

    They give 2P + 18P/N and 18P/N bytes. Stage 2 counts gradients in float32 beside those in 16 bits (4 more), stage 3
    18 in all (2 more) and 4 bytes for each parameter of the largest layer, which are buffers here. There is no function
    for stage 1.
    """
    parameters, gpus = 2_851_000_000, 8
    training = Training(precision=Precision.MIXED, cluster=Cluster(gpus=gpus))
    ours = memory(model_of_parameters(parameters), training, strategy).states
    theirs = whole * parameters + 18 * parameters / gpus
    assert ours == pytest.approx(theirs - more * parameters / gpus)
