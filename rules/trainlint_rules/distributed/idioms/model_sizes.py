"""How large a model is: parameters from its name or its configuration.

Counts of parameters are exact for the configurations listed here; a size in a name is what its makers round to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from trainlint.patterns import lazy

_SIZE = lazy(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)(b|m)(?![a-z0-9])", re.IGNORECASE)
_UNDERSCORED_DECIMAL = lazy(r"\d_\d+[bm]", re.IGNORECASE)
_EXPERTS = lazy(r"\dx\d{1,20}(\.\d{1,20})?b", re.IGNORECASE)
_QUANTISED = lazy(
    r"(^|[-_./])(gptq|awq|gguf|ggml|exl2|bnb|nf4|fp8|mxfp4|hqq|aqlm|w\d+a\d+|(int|q)\d\w*|\d-?bits?)($|[-_./])",
    re.IGNORECASE,
)


def parameters_in_name(name: str) -> float | None:
    """Parameters by the size in a model's name, as in "llama-2-7b-hf"; None where it holds none, or more than one.

    Quantised models and mixtures of experts ("8x7b") are None too: their names do not say how many bytes they train.
    """
    last = name.rstrip("/").rpartition("/")[2]
    if _QUANTISED.search(name) or _EXPERTS.search(last) or _UNDERSCORED_DECIMAL.search(last):
        return None
    found = _SIZE.findall(last)
    if len(found) != 1:
        return None
    number, unit = found[0]
    return float(number) * (1e9 if unit in "bB" else 1e6)


def parameters_of_config(name: str, given: Mapping[str, float]) -> float | None:
    """Parameters of the language model that a configuration class describes; None for a class that is not listed.

    `given` holds the arguments that are written out; the others have the class's own defaults.
    """
    family = _FAMILIES.get(name)
    if family is None:
        return None
    return family.count({**family.defaults, **given})


def arguments_that_count(name: str) -> frozenset[str]:
    """The arguments of a listed configuration class that its number of parameters depends on; empty for another."""
    family = _FAMILIES.get(name)
    return frozenset(family.defaults) | {"head_dim"} if family is not None else frozenset()


@dataclass(frozen=True, slots=True)
class _Family:
    defaults: Mapping[str, float]
    count: Callable[[Mapping[str, float]], float]


def _gated_decoder(config: Mapping[str, float]) -> float:
    """Llama and its kin: no biases but on the queries, keys and values of some, three matrices in the MLP."""
    hidden, inner, layers = config["hidden_size"], config["intermediate_size"], config["num_hidden_layers"]
    heads = config["num_attention_heads"]
    shared = config["num_key_value_heads"] or heads
    head = config.get("head_dim") or hidden // heads
    queries, keys = heads * head, shared * head
    attention = 2 * hidden * queries + 2 * hidden * keys + config.get("_attention_bias", 0) * (queries + 2 * keys)
    layer = attention + 3 * hidden * inner + 2 * hidden
    embeddings = config["vocab_size"] * hidden * (1 if config["tie_word_embeddings"] else 2)
    return layers * layer + embeddings + hidden


def _gpt2(config: Mapping[str, float]) -> float:
    """GPT-2: learned positions, biases everywhere, the output layer tied to the embeddings."""
    hidden, layers = config["n_embd"], config["n_layer"]
    inner = config["n_inner"] or 4 * hidden
    layer = 4 * hidden * hidden + 2 * hidden * inner + inner + 9 * hidden
    return (config["vocab_size"] + config["n_positions"]) * hidden + layers * layer + 2 * hidden


def _neox(config: Mapping[str, float]) -> float:
    """GPT-NeoX and Pythia: rotary positions, biases everywhere, an output layer of its own."""
    hidden, inner, layers = config["hidden_size"], config["intermediate_size"], config["num_hidden_layers"]
    layer = 4 * hidden * hidden + 2 * hidden * inner + inner + 9 * hidden
    embeddings = config["vocab_size"] * hidden * (1 if config["tie_word_embeddings"] else 2)
    return layers * layer + embeddings + 2 * hidden


def _gated(hidden: int, inner: int, layers: int, heads: int, shared: int, vocabulary: int, bias: int = 0) -> _Family:
    defaults = {
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": shared,
        "vocab_size": vocabulary,
        "tie_word_embeddings": 0,
        "_attention_bias": bias,
    }
    return _Family(defaults, _gated_decoder)


_FAMILIES: Mapping[str, _Family] = {
    "LlamaConfig": _gated(4096, 11008, 32, 32, 0, 32000),
    "MistralConfig": _gated(4096, 14336, 32, 32, 8, 32000),
    "Qwen2Config": _gated(4096, 22016, 32, 32, 32, 151936, bias=1),
    "GPT2Config": _Family(
        {"vocab_size": 50257, "n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_inner": 0}, _gpt2
    ),
    "GPTNeoXConfig": _Family(
        {
            "hidden_size": 6144,
            "intermediate_size": 24576,
            "num_hidden_layers": 44,
            "vocab_size": 50432,
            "tie_word_embeddings": 0,
        },
        _neox,
    ),
}
"""By the name of the configuration class in Hugging Face transformers, with its defaults there."""
