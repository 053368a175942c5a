"""Parameters from names and configurations, against the counts that the models' makers publish."""

from __future__ import annotations

import pytest

from trainlint_rules.distributed.idioms.model_sizes import parameters_in_name, parameters_of_config


@pytest.mark.parametrize(
    ("name", "given", "published"),
    [
        ("LlamaConfig", {}, 6_738_415_616),
        (
            "LlamaConfig",
            {"hidden_size": 5120, "intermediate_size": 13824, "num_hidden_layers": 40, "num_attention_heads": 40},
            13_015_864_320,
        ),
        (
            "LlamaConfig",
            {
                "hidden_size": 8192,
                "intermediate_size": 28672,
                "num_hidden_layers": 80,
                "num_attention_heads": 64,
                "num_key_value_heads": 8,
            },
            68_976_648_192,
        ),
        ("MistralConfig", {}, 7_241_732_096),
        (
            "Qwen2Config",
            {
                "hidden_size": 3584,
                "intermediate_size": 18944,
                "num_hidden_layers": 28,
                "num_attention_heads": 28,
                "num_key_value_heads": 4,
                "vocab_size": 152064,
            },
            7_615_616_512,
        ),
        ("GPT2Config", {}, 124_439_808),
        ("GPT2Config", {"n_embd": 1600, "n_layer": 48}, 1_557_611_200),
        (
            "GPTNeoXConfig",
            {"hidden_size": 4096, "intermediate_size": 16384, "num_hidden_layers": 32},
            6_857_302_016,
        ),
    ],
)
def test_configurations_count_as_published(name: str, given: dict[str, float], published: int) -> None:
    assert parameters_of_config(name, given) == published


def test_an_unknown_configuration_has_no_count() -> None:
    assert parameters_of_config("OurConfig", {"hidden_size": 4096}) is None


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("meta-llama/Llama-2-7b-hf", 7e9),
        ("meta-llama/Llama-3.2-1B", 1e9),
        ("facebook/opt-1.3b", 1.3e9),
        ("tiiuae/falcon-40b", 40e9),
        ("EleutherAI/pythia-410m-deduped", 410e6),
        ("/data/models/Llama-3.1-70B-Instruct/", 70e9),
        ("Qwen/Qwen3-30B-A3B", 30e9),
    ],
)
def test_a_size_in_a_name_counts(name: str, parameters: float) -> None:
    assert parameters_in_name(name) == pytest.approx(parameters)


@pytest.mark.parametrize(
    "name",
    [
        "gpt2-large",
        "gpt2",
        "bert-base-uncased",
        "mistralai/Mixtral-8x7B-v0.1",
        "models/llama2_7b",  # could be 2.7 billion
        "org/Llama-2-7B-GPTQ",
        "org/llama-3-8b-bnb-4bit",
        "org/Llama-7B-int8",
        "data-70b/tokenizer",
        "run-13b-from-7b",
    ],
)
def test_a_name_that_does_not_tell_one_size_counts_for_nothing(name: str) -> None:
    assert parameters_in_name(name) is None
