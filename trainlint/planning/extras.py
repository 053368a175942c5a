"""Norms, biases and positions of a family: what a transformer has beside its products and the embeddings of tokens."""

from __future__ import annotations

from trainlint.planning.families import Family, Switch
from trainlint.planning.transformer import Extras, Transformer
from trainlint.planning.values import Values


def extras_of(model: Transformer, values: Values, family: Family, kind: str, *, output: bool, pooler: bool) -> Extras:
    """What a configuration adds to the products of a model. Raises BadConfig for values that are no numbers."""
    vectors = family.norm
    if kind == "opt" and not values.switch("layer_norm_elementwise_affine"):
        vectors = 0
    hidden = model.hidden
    return Extras(
        attention=_attention(model, values, family),
        feed_forward=_feed_forward(model, model.width) if _is_on(values, family.inner_bias) else 0,
        experts=hidden if values.number("shared_expert_intermediate_size", least=0) and family.experts else 0,
        norms=vectors * hidden * _norms_of_layer(values, family, kind) + _inside_attention(model, values, family),
        norms_outside=vectors * hidden * _norms_outside(values, family, kind),
        embeddings=_embeddings(model, values, family),
        head=_head(model, family, output=output, pooler=pooler),
    )


def _is_on(values: Values, switch: Switch) -> bool:
    return switch if isinstance(switch, bool) else values.switch(switch)


def _attention(model: Transformer, values: Values, family: Family) -> int:
    """Biases."""
    if model.latent is not None:
        inputs = model.latent.queries + model.latent.keys + model.latent.rotary
        return inputs + model.hidden if values.switch("attention_bias") else 0
    queries = model.query_width + model.key_width + model.value_width if _is_on(values, family.query_bias) else 0
    return queries + (model.hidden if _is_on(values, family.output_bias) else 0)


def _feed_forward(model: Transformer, width: int) -> int:
    """Biases."""
    return (2 if model.gated else 1) * width + model.hidden


def _inside_attention(model: Transformer, values: Values, family: Family) -> int:
    """Norms over queries and keys, or between the products of latent attention."""
    if model.latent is not None:
        return model.latent.queries + model.latent.keys
    norms = family.query_norms
    if norms is None or not _is_on(values, norms.where):
        return 0
    width = model.query_width // model.heads
    heads = model.heads + (model.shared_heads or model.heads) if norms.each_head else 2
    return norms.vectors * heads * width


def _norms_of_layer(values: Values, family: Family, kind: str) -> int:
    if kind == "stablelm":
        return 1 if values.switch("use_parallel_residual") else 2
    if kind == "falcon" and values.switch("parallel_attn"):
        return values.number("num_ln_in_parallel_attn") or (2 if values.switch("new_decoder_architecture") else 1)
    return family.norms


def _norms_outside(values: Values, family: Family, kind: str) -> int:
    if kind == "opt" and (not values.switch("do_layer_norm_before") or values.switch("_remove_final_layer_norm")):
        return 0
    return family.norms_outside


def _embeddings(model: Transformer, values: Values, family: Family) -> int:
    rows = 0
    if family.learned_positions:
        rows = values.needed("max_position_embeddings", "n_positions") + family.more_positions
    if family.encoder:
        rows += values.number("type_vocab_size", least=0) or 0
    narrow = values.number("word_embed_proj_dim") or model.hidden
    # Narrower embeddings, which the output layer shares, and a projection from and to them.
    projected = 0 if narrow == model.hidden else model.vocabulary * (narrow - model.hidden) + 2 * narrow * model.hidden
    return rows * model.hidden + projected


def _head(model: Transformer, family: Family, *, output: bool, pooler: bool) -> int:
    """Biases of the output layer; of an encoder also the layer before it, and what pools the first token."""
    found = 0
    if output and (family.head_bias or family.encoder):
        found += model.vocabulary
    if family.encoder:
        square = model.hidden * (model.hidden + 1)
        found += (square + 2 * model.hidden if output else 0) + (square if pooler else 0)
        found += 2 * (model.hidden + 1) if output and pooler else 0  # which of two sentences comes next
    return found
