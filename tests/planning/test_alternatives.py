"""What is offered where nothing fits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.planning.configurations import PUBLISHED
from trainlint.planning.alternatives import Alternatives, alternatives
from trainlint.planning.configuration import transformer_of_config
from trainlint.planning.fits import outlook
from trainlint.planning.model import Model, model_of_parameters, model_of_transformer
from trainlint.planning.strategies import OFFLOAD, ONE, Strategy, strategies_for
from trainlint.planning.training import Cluster, Training

H100, RTX_4090 = 84.8e9, 24.7e9


def model(name: str, sequence: int = 2048) -> Model:
    return model_of_transformer(name, transformer_of_config(PUBLISHED[name].config, sequence).numbers)


def instead(planned: Model, training: Training) -> Alternatives:
    return alternatives(planned, training, strategies_for(training.cluster))


@pytest.mark.parametrize(
    ("name", "training", "flags"),
    [
        ("Llama-3-8B", Training(batch=16, cluster=Cluster(8, memory=H100)), "--batch 1 --accumulation 16"),
        ("Llama-2-7B", Training(batch=1, cluster=Cluster(4, memory=45e9)), "--checkpointing full"),
        ("Llama-2-7B", Training(cluster=Cluster(memory=RTX_4090)), "--checkpointing full --precision mixed --lora 16"),
    ],
)
def test_the_cheapest_that_fits(name: str, training: Training, flags: str) -> None:
    found = instead(model(name), training).cheapest
    assert found is not None
    assert found.flags == flags
    assert found.outlook.fits


def test_what_is_cheapest_fits_when_it_is_asked_for() -> None:
    planned, training = model("Llama-3.1-70B", 8192), Training(batch=4, cluster=Cluster(8, memory=H100))
    found = instead(planned, training).cheapest
    assert found is not None
    assert found.flags == "--batch 1 --accumulation 4 --checkpointing full --precision mixed --strategy offload"
    asked = training
    for change in found.changes:
        asked = replace(asked, **change.values)  # type: ignore[arg-type] # fields by their names
    assert outlook(planned, asked, OFFLOAD).memory == found.outlook.memory


def test_each_change_is_tried_alone() -> None:
    found = instead(model("Llama-3-8B"), Training(cluster=Cluster(memory=RTX_4090)))
    assert [item.flags for item in found.alone] == [
        "--checkpointing full",
        "--precision mixed",
        "--precision bf16",
        "--optimizer adamw-8bit",
        "--lora 16",
    ]


def test_the_number_of_gpus_that_is_enough_as_asked() -> None:
    training = Training(cluster=Cluster(2, memory=H100))
    planned = model("Llama-2-13B")
    found = instead(planned, training)
    assert found.gpus == 4
    enough = replace(training, cluster=replace(training.cluster, gpus=4))
    assert any(outlook(planned, enough, item).fits for item in strategies_for(enough.cluster))


def test_a_size_alone_says_what_cannot_be_tried() -> None:
    found = instead(model_of_parameters(70e9), Training(cluster=Cluster(memory=RTX_4090)))
    assert found.cheapest is None
    assert found.left_out.startswith("Checkpointing and LoRA were not tried")
    assert min(item.outlook.memory.total for item in found.alone) >= found.least.outlook.memory.total


@pytest.mark.parametrize("strategy", [ONE, OFFLOAD])
def test_a_strategy_that_is_asked_for_stays(strategy: Strategy) -> None:
    training = Training(cluster=Cluster(memory=20e9))
    found = alternatives(model("Llama-3-8B"), training, [strategy])
    assert {item.outlook.strategy for item in (*found.alone, found.least)} == {strategy}
    assert "--strategy" not in found.least.flags
