"""The numbers of a transformer from a `config.json` of Hugging Face transformers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from trainlint.planning.extras import extras_of
from trainlint.planning.families import FAMILIES, Family
from trainlint.planning.transformer import Experts, Latent, Transformer
from trainlint.planning.values import BadConfig, Values

_LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers")
_HIDDEN = ("hidden_size", "n_embd", "n_embed", "d_model", "dim")
_HEADS = ("num_attention_heads", "n_head", "num_heads", "n_heads")
_INNER = ("intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "d_ff")
_SHARED = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num")
_SEQUENCE = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
_SIZES = (_LAYERS, _HIDDEN, _HEADS, ("vocab_size",))
_COUNT = ("num_experts", "num_local_experts", "n_routed_experts")
_ACTIVATIONS = ("hidden_act", "hidden_activation", "activation_function")
_UNDERSTOOD = frozenset({*_LAYERS, *_HIDDEN, *_HEADS, *_INNER, *_SHARED, *_SEQUENCE, "vocab_size", "head_dim"})
_INSTEAD = "name the model as package.module:callable, or give its size by --params"
_NESTED = ("text_config", "llm_config", "language_config")
_GATING = frozenset({"silu", "swish", "swiglu", "geglu"})
_OTHER_MODELS = re.compile(r"(?!quant|bnb|generation|rope).*_config")
_NEUTRAL = re.compile(
    r"_.*|.*(?:token_id|_token_index|dropout|drop|pdrop|_eps|epsilon|_range|_coef|_window|_theta|_dtype|_version|_offset"
    r"|2id|2label)|(?:max|rope|rotary|output|use_cache|return|scale|tie|torch|initializer|pretraining|num_labels|chunk)"
    r".*|architectures|model_type|auto_map|quantization_config|position_embedding_type|hidden_act|is_decoder"
    r"|attention_bias|mlp_bias|add_cross_attention|is_encoder_decoder|n_ctx|use_sliding_window"
)
"""Keys that change no count. Names alone decide, for models whose code nothing is known of."""


class Configured(NamedTuple):
    """What a configuration describes."""

    numbers: Transformer
    notes: tuple[str, ...]
    """What the count rests on or leaves out, in sentences."""


class _Head(NamedTuple):
    """What follows the layers, by the class that `architectures` names."""

    output: bool = True
    """Whether tokens are predicted."""
    pooler: bool = False
    uncounted: str = ""
    """The class whose head is not counted."""


def _refuse_missing_sizes(values: Values) -> None:
    missing = [names[0] for names in _SIZES if all(values.get(name) is None for name in names)]
    if missing:
        raise BadConfig(f"does not give {', '.join(missing)}")


def _head_size(values: Values, family: Family, hidden: int, heads: int) -> int:
    """The size of a head's keys; 0 where the heads share the hidden size."""
    size = values.number("head_dim")  # refused where it is no size, also where other keys say what it would
    if family.latent:
        return values.needed("qk_nope_head_dim") + values.needed("qk_rope_head_dim")
    if size is None and hidden % heads:
        raise BadConfig(f"has {heads} heads, which do not divide a hidden size of {hidden}, and no head_dim")
    return size or 0


def transformer_of_config(
    config: Mapping[str, object], sequence: int | None, *, gated: bool = False, untied: bool = False
) -> Configured:
    """The numbers in a `config.json`. `sequence`: tokens of a sample, if not the longest that the model takes.

    `gated` and `untied` say what the file does not. Raises BadConfig where sizes are missing or are no numbers, and
    where something is in it that the formulas do not count.
    """
    nested, language = _language_model(config)
    kind = str(language.get("model_type") or config.get("model_type") or "")
    _refuse_decoders_with_encoders(Values(language))
    family = FAMILIES.get(kind) or _unknown(language, kind)
    values = Values(language, {**family.defaults, **(_sizes(family) if nested else {})})
    _refuse_what_the_family_has_not(values, family)
    _refuse_missing_sizes(values)
    hidden, heads = values.needed(*_HIDDEN), values.needed(*_HEADS)
    head_size = _head_size(values, family, hidden, heads)
    head = _head(config)
    told = _tied(config, values)
    tied = family.tied if told is None else told
    base = Transformer(
        values.needed(*_LAYERS),
        hidden,
        heads,
        values.needed("vocab_size"),
        _tokens(values, sequence),
        inner=(values.number(*_INNER) or 4 * hidden) if family.four_times else values.needed(*_INNER),
        shared_heads=_shared_heads(values, family, heads),
        gated=gated or family.gated,
        tied=not head.output or (tied and not untied),
        dropout=values.has_dropout(),
        head_size=head_size,
        value_size=values.needed("v_head_dim") if family.latent else 0,
        latent=_latent(values) if family.latent else None,
        experts=_experts(values, family) if family.experts else None,
    )
    full = replace(base, extras=extras_of(base, values, family, kind, output=head.output, pooler=head.pooler))
    return Configured(full, tuple(_notes(config, nested, values, family, kind, head)))


def _language_model(config: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    """The key below which a model of several kinds of input describes its language model, and what stands there."""
    for name in _NESTED:
        found = config.get(name)
        if isinstance(found, Mapping):
            return name, found
    return "", config


def _sizes(family: Family) -> dict[str, object]:
    names = ("num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size", "vocab_size")
    return dict(zip(names, family.sizes, strict=True)) if family.sizes else {}


def _unknown(config: Mapping[str, object], kind: str) -> Family:
    """How a model of an unknown family is counted. Raises BadConfig for keys that may change its count."""
    told = f"has model_type {kind!r}, which is not known" if kind else "has no model_type"
    unusual = [key for key, value in config.items() if not _NEUTRAL.fullmatch(key) and _may_count(value)]
    unusual = [key for key in unusual if key not in _UNDERSTOOD]
    if unusual:
        listed = ", ".join(unusual[:8]) + (", ..." if len(unusual) > 8 else "")
        raise BadConfig(f"{told}, and {listed} may change the count of its parameters; {_INSTEAD}")
    gating = any(config.get(key) in _GATING for key in _ACTIVATIONS)
    return Family(
        gated=gating, tied=True, query_bias="attention_bias", output_bias="attention_bias", inner_bias="mlp_bias"
    )


def _may_count(value: object) -> bool:
    """Whether a value may be a size, a switch that is on, or a list of layers."""
    return (isinstance(value, int) and value > 0) or (isinstance(value, list | dict) and bool(value))


def _refuse_decoders_with_encoders(values: Values) -> None:
    if values.switch("is_encoder_decoder") or values.get("num_decoder_layers") or values.get("decoder_layers"):
        raise BadConfig(f"describes an encoder with a decoder (as T5), which the formulas do not count; {_INSTEAD}")
    if values.switch("add_cross_attention") or values.get("cross_attention_layers"):
        raise BadConfig(f"describes layers with cross-attention, which the formulas do not count; {_INSTEAD}")


def _refuse_what_the_family_has_not(values: Values, family: Family) -> None:
    """Raises BadConfig for experts and latent attention in a family that is counted without them."""
    if not family.experts and (values.number(*_COUNT, least=0) or 0) > 1:
        raise BadConfig(
            f"describes a mixture of experts of an unknown kind, which the formulas do not count; {_INSTEAD}"
        )
    if not family.latent and values.number("kv_lora_rank", least=0):
        raise BadConfig(f"has kv_lora_rank, which the formulas do not count in this family; {_INSTEAD}")
    if (values.number("moe_layer_freq") or 1) > 1:
        raise BadConfig(f"has experts in some of its layers by moe_layer_freq, which is not counted; {_INSTEAD}")


def _tokens(values: Values, sequence: int | None) -> int:
    tokens = sequence or values.number(*_SEQUENCE)
    if not tokens:
        raise BadConfig("does not say how long a sample is; give it by --sequence")
    return tokens


def _shared_heads(values: Values, family: Family, heads: int) -> int:
    """Heads of keys and values; 0 for one for each head of queries."""
    if family.latent:
        return 0
    if values.switch("multi_query") and not values.switch("new_decoder_architecture"):
        return 1
    shared = values.number(*_SHARED) or heads
    if heads % shared:
        raise BadConfig(f"has {shared} heads of keys, which do not divide {heads} heads of queries")
    return shared


def _latent(values: Values) -> Latent:
    return Latent(values.needed("kv_lora_rank"), values.number("q_lora_rank") or 0, values.needed("qk_rope_head_dim"))


def _experts(values: Values, family: Family) -> Experts | None:
    count, inner = values.needed(*_COUNT), values.needed(family.experts)
    chosen, layers = values.needed("num_experts_per_tok"), values.needed(*_LAYERS)
    if chosen > count:
        raise BadConfig(f"sends each token through {chosen} of {count} experts")
    first, step = values.number("first_k_dense_replace", least=0) or 0, values.number("decoder_sparse_step") or 1
    # Layer i has experts if i + 1 is a multiple of the step, from the first on, unless it is listed.
    listed = values.get("mlp_only_layers")
    dense = {item for item in listed if type(item) is int} if isinstance(listed, list) else set()
    dense = {item for item in dense if first <= item < layers and (item + 1) % step == 0}
    with_experts = max(0, layers // step - first // step - len(dense))
    shared = values.number("shared_expert_intermediate_size", least=0)
    if shared is None:
        shared = (values.number("n_shared_experts", least=0) or 0) * inner
    return Experts(count, chosen, inner, with_experts, shared) if with_experts else None


def _head(config: Mapping[str, object]) -> _Head:
    named = config.get("architectures")
    name = str(named[0]) if isinstance(named, list) and named else ""
    if name.endswith("ForPreTraining"):
        return _Head(pooler=True)
    if not name or name.endswith(("LMHeadModel", "ForCausalLM", "ForMaskedLM", "ForConditionalGeneration")):
        return _Head()
    if name.endswith("Model"):
        return _Head(output=False, pooler=True)
    return _Head(output=False, uncounted=name) if "For" in name else _Head()


def _notes_on_nesting(
    config: Mapping[str, object], nested: str, values: Values, family: Family, kind: str
) -> Iterator[str]:
    """What the file describes beside the language model, and what it leaves to the defaults of its class."""
    others = [
        key
        for key, value in config.items()
        if _OTHER_MODELS.fullmatch(key) and key != nested and isinstance(value, Mapping)
    ]
    if others:
        yield f"The language model alone is counted, without what {', '.join(others)} describes."
    if not nested:
        return
    left_out = [key for key in values.defaults if values.given.get(key) is None]
    if left_out:
        yield f"{nested} leaves out {', '.join(left_out)}: taken are the values of the class {kind} in transformers."
    if _tied(config, values) is None:
        usual = "shares the embeddings" if family.tied else "has weights of its own"
        yield f"tie_word_embeddings is not in the file: the output layer {usual}, as is usual for {kind}."


def _notes(
    config: Mapping[str, object], nested: str, values: Values, family: Family, kind: str, head: _Head
) -> Iterator[str]:
    """What the count rests on or leaves out."""
    yield from _notes_on_nesting(config, nested, values, family, kind)
    if kind not in FAMILIES:
        told = f"model_type {kind!r} is not known" if kind else "The file has no model_type"
        yield f"{told}: counted as layers like Llama's, with tied embeddings unless the file says otherwise."
        if not any(values.given.get(key) for key in _ACTIVATIONS):
            yield "No hidden_act is named: the feed-forward part counts as not gated unless --gated says so."
    if values.number("num_nextn_predict_layers", least=0):
        yield "The layers for multi-token prediction (num_nextn_predict_layers) are not counted."
    if head.uncounted:
        yield f"The head of {head.uncounted} is not counted."


def _tied(config: Mapping[str, object], values: Values) -> bool | None:
    """Whether the output layer shares the embeddings; None where the file does not say."""
    for told in (values.given.get("tie_word_embeddings"), config.get("tie_word_embeddings")):
        if isinstance(told, bool):
            return told
    return None
