"""Parameters that a configuration says, by part; and configurations that say something which is not counted."""

from __future__ import annotations

import pytest

from tests.planning.configurations import PUBLISHED
from trainlint.planning.activations import layer_activations
from trainlint.planning.configuration import transformer_of_config
from trainlint.planning.duration import floating_point_operations
from trainlint.planning.model import model_of_transformer
from trainlint.planning.training import Attention, Training
from trainlint.planning.transformer import Transformer, parts_of
from trainlint.planning.values import BadConfig
from trainlint_probe.planned.words import count

LLAMA = PUBLISHED["Llama-2-7B"].config
QWEN = PUBLISHED["Qwen3-30B-A3B"].config
DEEPSEEK = PUBLISHED["DeepSeek-V3"].config


def numbers(config: dict[str, object], **told: bool) -> Transformer:
    return transformer_of_config(config, 1024, **told).numbers


def notes(config: dict[str, object]) -> str:
    return " ".join(transformer_of_config(config, 1024).notes)


@pytest.mark.parametrize("name", PUBLISHED)
def test_parameters_of_published_models(name: str) -> None:
    figure, exact, config = PUBLISHED[name]
    found = numbers(config).parameters
    assert found == exact
    assert count(found) == figure


def test_the_parts_are_named() -> None:
    parts = dict(parts_of(numbers(LLAMA)))
    assert parts == {
        "embeddings": 32000 * 4096,
        "attention": 32 * 4 * 4096**2,
        "MLP": 32 * 3 * 4096 * 11008,
        "norms": 65 * 4096,
        "head": 32000 * 4096,
    }


@pytest.mark.parametrize(
    ("name", "active"),
    [("Mixtral-8x7B", "12.9 B"), ("Qwen3-30B-A3B", "3.35 B"), ("Qwen3-235B-A22B", "22.2 B"), ("DeepSeek-V3", "37.6 B")],
)
def test_a_token_passes_some_of_the_experts(name: str, active: str) -> None:
    """The cards say 12.9, 3.3, 22 and 37 billion, with or without embeddings."""
    found = numbers(PUBLISHED[name].config)
    assert count(found.parameters - found.idle) == active


def test_a_step_computes_what_a_token_passes() -> None:
    """6 operations for each active parameter and token, and 12 for each unit of the heads, layer and pair of tokens."""
    found = numbers(QWEN)
    operations = floating_point_operations(model_of_transformer("Qwen3", found), Training())
    pairs = 12 * 48 * (32 * 128) * 1024**2
    assert operations == 6 * 1024 * (found.parameters - found.idle) + pairs


def test_a_token_keeps_more_for_each_expert_that_it_is_sent_to() -> None:
    def kept(chosen: int) -> float:
        config = {**QWEN, "num_experts_per_tok": chosen}
        return layer_activations(numbers(config), 1, 2, Attention.FUSED).feed_forward

    gated, inputs_and_results = 4 * 768, 2 * 2048
    assert kept(3) - kept(2) == 1024 * 2 * (gated + inputs_and_results)


def test_a_nested_language_model_is_counted_alone_with_the_defaults_of_its_class() -> None:
    """The language model of Gemma-3-4B, whose file leaves out heads and vocabulary: 3.88 billion."""
    config: dict[str, object] = {
        "model_type": "gemma3",
        "text_config": {
            "model_type": "gemma3_text",
            "hidden_size": 2560,
            "intermediate_size": 10240,
            "num_hidden_layers": 34,
        },
        "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27},
    }
    assert numbers(config).parameters == 3_880_263_168
    assert "without what vision_config describes" in notes(config)
    assert "num_attention_heads" in notes(config)


@pytest.mark.parametrize(
    ("architecture", "parameters"),
    [("BertModel", 109_482_240), ("BertForMaskedLM", 109_514_298), ("BertForPreTraining", 110_106_428)],
)
def test_the_head_of_an_encoder_is_that_of_its_class(architecture: str, parameters: int) -> None:
    config = {**PUBLISHED["BERT-base"].config, "architectures": [architecture]}
    assert numbers(config).parameters == parameters


def test_a_class_without_output_layer_has_none() -> None:
    config = {**LLAMA, "architectures": ["LlamaForSequenceClassification"]}
    assert numbers(config).parameters == PUBLISHED["Llama-2-7B"].parameters - 32000 * 4096
    assert "head of LlamaForSequenceClassification is not counted" in notes(config)


def test_what_is_typed_adds_to_the_file() -> None:
    config = {**LLAMA, "model_type": "of_my_own", "tie_word_embeddings": True}
    assert numbers(config, gated=True, untied=True).parameters == PUBLISHED["Llama-2-7B"].parameters
    assert "model_type 'of_my_own' is not known" in notes(config)
    assert "not gated unless --gated says so" in notes(config)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"model_type": "of_my_own", "ssm_state_size": 16}, "ssm_state_size may change the count"),
        ({"model_type": None, "use_memory": True}, "has no model_type, and use_memory may change"),
        ({"num_local_experts": 8}, "mixture of experts of an unknown kind"),
        ({"kv_lora_rank": 512}, "has kv_lora_rank"),
        ({"is_encoder_decoder": True}, "an encoder with a decoder (as T5)"),
        ({"cross_attention_layers": [3]}, "layers with cross-attention"),
        ({"moe_layer_freq": 2}, "moe_layer_freq"),
        ({"num_attention_heads": 0}, "gives num_attention_heads as 0, which is not from 1"),
        ({"num_attention_heads": 33}, "33 heads, which do not divide a hidden size of 4096"),
        ({"num_key_value_heads": 5}, "5 heads of keys, which do not divide 32 heads"),
        ({"hidden_size": "4096"}, "gives hidden_size as '4096', which is not a whole number"),
        ({"hidden_size": 4096.0}, "gives hidden_size as 4096.0, which is not a whole number"),
        ({"vocab_size": True}, "gives vocab_size as True"),
        ({"vocab_size": 10**40}, "a number of more than 30 digits"),
        ({"intermediate_size": None}, "has none of intermediate_size"),
        ({"attention_bias": "yes"}, "gives attention_bias as 'yes', which is neither true nor false"),
        ({**QWEN, "num_experts_per_tok": 200}, "each token through 200 of 128 experts"),
        ({**QWEN, "moe_intermediate_size": None}, "does not give moe_intermediate_size"),
        ({**DEEPSEEK, "head_dim": "64"}, "gives head_dim as '64', which is not a whole number"),
    ],
)
def test_what_is_not_counted_is_refused_by_name(changed: dict[str, object], said: str) -> None:
    with pytest.raises(BadConfig) as raised:
        numbers({**LLAMA, **changed})
    assert said in str(raised.value)


def test_figures_have_three_digits() -> None:
    assert [count(value) for value in (999_885_952, 13e9, 405_853_388_800, 999.4, 12)] == [
        "1.00 B",
        "13.0 B",
        "406 B",
        "999",
        "12",
    ]
