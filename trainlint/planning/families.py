"""What the families of Hugging Face transformers have in each layer, by `model_type`.

The facts are those of the models' classes there; sizes stand in the configurations, and here only what a class takes
where a configuration leaves them out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

Switch = bool | str
"""Yes, no, or the key of a configuration that says so; without the key, no, unless `Family.defaults` has it."""


class QueryNorms(NamedTuple):
    """Norms over queries and keys."""

    where: Switch
    each_head: bool
    """Whether each head has weights of its own, or all share those of one head."""
    vectors: int = 1


@dataclass(frozen=True, slots=True)
class Family:
    """What the layers of a family have besides the products whose sizes a configuration gives."""

    gated: bool = True
    """Whether the feed-forward part multiplies two products."""
    tied: bool = False
    """Whether the output layer shares the embeddings where the configuration does not say."""
    norm: int = 1
    """Vectors of a norm: 1 for RMSNorm, 2 with a bias, 0 without weights."""
    norms: int = 2
    """Norms of a layer."""
    norms_outside: int = 1
    query_bias: Switch = False
    """Of queries, keys and values."""
    output_bias: Switch = False
    """Of the last product of attention."""
    inner_bias: Switch = False
    """Of the feed-forward part."""
    head_bias: bool = False
    query_norms: QueryNorms | None = None
    learned_positions: bool = False
    more_positions: int = 0
    """Rows of the embeddings of positions beside one for each."""
    four_times: bool = False
    """Whether the feed-forward part is four times as wide as the hidden size where the configuration does not say."""
    latent: bool = False
    """Whether keys and values pass through fewer numbers (MLA)."""
    experts: str = ""
    """The key that gives the width of an expert; empty where there are none."""
    encoder: bool = False
    """Whether it reads whole texts, as BERT, and has an output layer of its own kind."""
    defaults: Mapping[str, object] = field(default_factory=dict)
    """What the class takes where a key is missing."""
    sizes: tuple[int, int, int, int, int] | None = None
    """Layers, hidden size, heads, width and vocabulary of the class, which nested configurations leave out."""


_ATTENTION, _MLP, _EXPERT = "attention_bias", "mlp_bias", "moe_intermediate_size"
_LLAMA = Family(query_bias=_ATTENTION, output_bias=_ATTENTION, inner_bias=_MLP, sizes=(32, 4096, 32, 11008, 32000))
_MISTRAL = Family(defaults={"num_key_value_heads": 8}, sizes=(32, 4096, 32, 14336, 32000))
_QWEN_2 = Family(query_bias=True, sizes=(32, 4096, 32, 22016, 151936))
_QWEN_2_VL = Family(query_bias=True, defaults={"num_key_value_heads": 8}, sizes=(80, 8192, 64, 29568, 152064))
_HEAD_NORMS = QueryNorms(True, each_head=False)
_QWEN_3 = Family(
    query_bias=_ATTENTION,
    output_bias=_ATTENTION,
    query_norms=_HEAD_NORMS,
    defaults={"head_dim": 128},
    sizes=(32, 4096, 32, 22016, 151936),
)
_QWEN_3_MOE = Family(
    query_bias=_ATTENTION,
    output_bias=_ATTENTION,
    query_norms=_HEAD_NORMS,
    experts=_EXPERT,
    defaults={"num_key_value_heads": 4},
)
_GEMMA = Family(
    tied=True,
    query_bias=_ATTENTION,
    output_bias=_ATTENTION,
    defaults={"head_dim": 256},
    sizes=(28, 3072, 16, 24576, 256000),
)
_GEMMA_2 = Family(
    tied=True,
    norms=4,
    query_bias=_ATTENTION,
    output_bias=_ATTENTION,
    defaults={"head_dim": 256, "num_key_value_heads": 4},
    sizes=(26, 2304, 8, 9216, 256000),
)
_GEMMA_3 = Family(
    tied=True,
    norms=4,
    query_bias=_ATTENTION,
    output_bias=_ATTENTION,
    query_norms=_HEAD_NORMS,
    defaults={"head_dim": 256, "num_key_value_heads": 4},
    sizes=(26, 2304, 8, 9216, 262208),
)
_GPT = Family(
    gated=False,
    tied=True,
    norm=2,
    query_bias=True,
    output_bias=True,
    inner_bias=True,
    learned_positions=True,
    four_times=True,
)
_BERT = Family(
    gated=False,
    tied=True,
    norm=2,
    query_bias=True,
    output_bias=True,
    inner_bias=True,
    learned_positions=True,
    encoder=True,
    defaults={"type_vocab_size": 2, "max_position_embeddings": 512},
)
_OLMO_2 = Family(query_bias=_ATTENTION, output_bias=_ATTENTION, query_norms=QueryNorms(True, each_head=True))
_DEEPSEEK = Family(latent=True, experts=_EXPERT, defaults={"first_k_dense_replace": 0, "n_shared_experts": 2})

FAMILIES: Mapping[str, Family] = {
    "llama": _LLAMA,
    "smollm3": Family(tied=True, query_bias=_ATTENTION, output_bias=_ATTENTION, inner_bias=_MLP),
    "granite": _LLAMA,
    "internlm": Family(query_bias="bias", output_bias="bias", defaults={"bias": True}),
    "internlm2": Family(query_bias="bias", output_bias="bias"),
    "internlm3": Family(query_bias="qkv_bias", output_bias="bias", inner_bias="bias", defaults={"head_dim": 128}),
    "mistral": _MISTRAL,
    "mixtral": Family(experts="intermediate_size", defaults={"num_key_value_heads": 8, "num_experts_per_tok": 2}),
    "qwen2": _QWEN_2,
    "qwen2_vl": _QWEN_2_VL,
    "qwen2_vl_text": _QWEN_2_VL,
    "qwen2_5_vl": _QWEN_2_VL,
    "qwen2_5_vl_text": _QWEN_2_VL,
    "qwen2_moe": Family(query_bias="qkv_bias", experts=_EXPERT, defaults={"qkv_bias": True}),
    "qwen3": _QWEN_3,
    "qwen3_vl_text": _QWEN_3,
    "qwen3_moe": _QWEN_3_MOE,
    "gemma": _GEMMA,
    "gemma2": _GEMMA_2,
    "gemma3_text": _GEMMA_3,
    "gemma3": _GEMMA_3,
    "phi": Family(
        gated=False,
        norm=2,
        norms=1,
        query_bias=True,
        output_bias=True,
        inner_bias=True,
        head_bias=True,
        query_norms=QueryNorms("qk_layernorm", each_head=False, vectors=2),
        four_times=True,
    ),
    "phi3": Family(),
    "gpt2": _GPT,
    "gpt_bigcode": replace(_GPT, defaults={"multi_query": True}),
    "gptj": Family(gated=False, norm=2, norms=1, inner_bias=True, head_bias=True, four_times=True),
    "gpt_neox": Family(
        gated=False,
        norm=2,
        query_bias=_ATTENTION,
        output_bias=_ATTENTION,
        inner_bias=True,
        defaults={_ATTENTION: True},
    ),
    "falcon": Family(
        gated=False,
        tied=True,
        norm=2,
        query_bias="bias",
        output_bias="bias",
        inner_bias="bias",
        four_times=True,
        defaults={"multi_query": True, "parallel_attn": True},
    ),
    "opt": Family(
        gated=False,
        tied=True,
        norm=2,
        query_bias="enable_bias",
        output_bias="enable_bias",
        inner_bias="enable_bias",
        learned_positions=True,
        more_positions=2,
        defaults={"enable_bias": True, "do_layer_norm_before": True, "layer_norm_elementwise_affine": True},
        sizes=(12, 768, 12, 3072, 50272),
    ),
    "bloom": Family(
        gated=False,
        tied=True,
        norm=2,
        norms_outside=2,
        query_bias=True,
        output_bias=True,
        inner_bias=True,
        four_times=True,
    ),
    "bert": _BERT,
    "roberta": _BERT,
    "xlm-roberta": _BERT,
    "deepseek_v2": _DEEPSEEK,
    "deepseek_v3": replace(_DEEPSEEK, defaults={"first_k_dense_replace": 3, "n_shared_experts": 1}),
    "olmo": Family(norm=0, query_bias=_ATTENTION, output_bias=_ATTENTION),
    "olmo2": _OLMO_2,
    "olmo3": _OLMO_2,
    "stablelm": Family(
        norm=2,
        query_bias="use_qkv_bias",
        query_norms=QueryNorms("qk_layernorm", each_head=True),
    ),
    "starcoder2": Family(
        gated=False,
        tied=True,
        norm=2,
        query_bias="use_bias",
        output_bias="use_bias",
        inner_bias="use_bias",
        defaults={"use_bias": True},
    ),
    "cohere": Family(
        tied=True,
        norms=1,
        query_bias=_ATTENTION,
        output_bias=_ATTENTION,
        query_norms=QueryNorms("use_qk_norm", each_head=True),
    ),
}
