"""Numbers of transformers from the configurations of Hugging Face transformers."""

from __future__ import annotations

from collections.abc import Mapping

from trainlint.planning.model import Transformer

_LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers")
_HIDDEN = ("hidden_size", "n_embd", "d_model", "dim")
_HEADS = ("num_attention_heads", "n_head", "num_heads", "n_heads")
_INNER = ("intermediate_size", "n_inner", "ffn_dim", "d_ff", "ffn_hidden_size")
_SHARED = ("num_key_value_heads", "num_kv_heads", "multi_query_group_num")
_SEQUENCE = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
_UNGATED = frozenset({"gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "relu", "quick_gelu"})
_GATED_ANYWAY = frozenset({"gemma", "gemma2", "gemma3_text", "gemma3"})
_UNTIED = frozenset({"llama", "mistral", "mixtral", "qwen2", "qwen3", "phi3", "gpt_neox"})
"""Model types whose output layer has weights of its own where the file does not say."""


class BadConfig(ValueError):
    """A configuration that does not describe a transformer. The message is the end of a sentence."""


def transformer_of_config(config: Mapping[str, object], sequence: int | None) -> Transformer:
    """The numbers in a `config.json`. `sequence`: tokens of a sample, if not the longest that the model takes.

    Raises BadConfig where layers, hidden size, heads or vocabulary are not in it, and for mixtures of experts, whose
    parameters and activations these formulas do not count.
    """
    if any(_number(config, (key,)) for key in ("num_local_experts", "num_experts", "n_routed_experts")):
        raise BadConfig("describes a mixture of experts, which the formulas do not count; name the model as a callable")
    layers, hidden = _needed(config, _LAYERS), _needed(config, _HIDDEN)
    heads, vocabulary = _needed(config, _HEADS), _needed(config, ("vocab_size",))
    tokens = sequence or _number(config, _SEQUENCE)
    if not tokens:
        raise BadConfig("does not say how long a sample is; give it by --sequence")
    kind = str(config.get("model_type", ""))
    function = str(config.get("hidden_act") or config.get("activation_function") or "gelu")
    tied = config.get("tie_word_embeddings")
    dropout = any(_fraction(config, key) for key in config if "drop" in key or "pdrop" in key)
    return Transformer(
        layers,
        hidden,
        heads,
        vocabulary,
        tokens,
        inner=_number(config, _INNER),
        shared_heads=_number(config, _SHARED),
        gated=kind in _GATED_ANYWAY or function not in _UNGATED,
        tied=tied if isinstance(tied, bool) else kind not in _UNTIED,
        dropout=dropout,
    )


def _needed(config: Mapping[str, object], names: tuple[str, ...]) -> int:
    found = _number(config, names)
    if not found:
        raise BadConfig(f"has none of {', '.join(names)} as a whole number from 1 on")
    return found


def _number(config: Mapping[str, object], names: tuple[str, ...]) -> int:
    """The first of these that is a positive whole number; 0 for none."""
    values = (config.get(name) for name in names)
    return next((value for value in values if type(value) is int and value > 0), 0)


def _fraction(config: Mapping[str, object], name: str) -> float:
    value = config.get(name)
    return value if isinstance(value, float) else 0.0
