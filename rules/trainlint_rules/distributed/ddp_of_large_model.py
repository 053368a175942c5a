"""TRN509."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, constant, last_name, position
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.analysis.tables.module_methods import RETURN_SELF
from trainlint.analysis.tables.optimizers import CLASSES
from trainlint.analysis.tables.parallel import DDP_ORIGINS
from trainlint.analysis.tables.signs import ADAPTERS, DEEPSPEED, FEW_BITS, SHARDED, SMALL_STATES
from trainlint.analysis.tables.signs import FSDP2 as SHARDING
from trainlint.contract.bases import CallRule
from trainlint.contract.confidence import doubted
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.autograd import runs_no_backward
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence, Severity
from trainlint.patterns import lazy

_SIZE = lazy(r"(?i)(?<![a-z0-9._])(\d+(?:\.\d+)?)b(?![a-z0-9])")
"""The size in a model's name, as in "llama-2-7b-hf"; none in "8x7b", which does not say how much is trained."""
_QUANTISED = lazy(r"(?i)gptq|awq|gguf|bnb|nf4|fp8|int\d|\dbit")
_DEVICE_MEMORY = 80
"""GB of one GPU."""
_SHARDS = 8
_HALF = frozenset({"bfloat16", "float16", "half", "auto"})


class DdpOfLargeModel(CallRule):
    """DistributedDataParallel around a model whose states fill much of each GPU

    ## Why
    DistributedDataParallel keeps the whole model in every process: weights, gradients and optimizer states. With
    Adam that is 16 bytes a parameter, in float32 (4 + 4 + 8) as in mixed precision, before any activation. A model of
    7 billion parameters holds 112 GB in each of 8 GPUs, eight times the same. `fully_shard` cuts the three of them
    into pieces: 14 GB in each, for half as much communication again, most of it hidden behind computation. Only a size
    in a model's name ("7b") or a configuration of plain numbers counts, never a word such as "large". Shown by default
    are states of more than 80 GB; those of 40 to 80 GB, which fit on the largest GPUs, are of low confidence.

    ## Example
    ```python
    import torch
    from torch.nn.parallel import DistributedDataParallel
    from transformers import LlamaConfig, LlamaForCausalLM


    def train(loader, local_rank):
        config = LlamaConfig(hidden_size=4096, intermediate_size=11008, num_hidden_layers=32, vocab_size=32000)
        model = LlamaForCausalLM(config).to(local_rank)
        model = DistributedDataParallel(model, device_ids=[local_rank])
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
        for tokens in loader:
            loss = model(tokens, labels=tokens).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    from torch.distributed.fsdp import fully_shard
    from transformers import LlamaConfig, LlamaForCausalLM


    def train(loader, local_rank):
        config = LlamaConfig(hidden_size=4096, intermediate_size=11008, num_hidden_layers=32, vocab_size=32000)
        model = LlamaForCausalLM(config).to(local_rank)
        for layer in model.model.layers:
            fully_shard(layer)
        fully_shard(model)
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
        for tokens in loader:
            loss = model(tokens, labels=tokens).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    The optimizer is built from the sharded parameters, so after `fully_shard`.

    ## Confirmed by
    The same bytes of parameters, gradients and optimizer states in the memory of every process.

    ## Gain
    Memory, by the formulas of ZeRO: 16 bytes a parameter on each GPU against 16/N. Sharding costs half as much
    communication again, so it is no gain where the states fit. Published notes on GPT-2 large give 13,108 to 8,502 MB
    on two GPUs.

    ## References
    - ZeRO: Memory Optimizations Toward Training Trillion Parameter Models: https://arxiv.org/abs/1910.02054
    - `fully_shard`: https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html
    """

    code = "TRN509"
    name = "ddp-of-large-model"
    severity = Severity.ADVICE
    in_tests = True
    on = DDP_ORIGINS
    unless = (
        shows("the code names adapters or states of fewer bits", ADAPTERS, FEW_BITS, SMALL_STATES),
        shows("the code shards a model on another path", SHARDED, SHARDING, DEEPSPEED),
        runs_no_backward,
    )
    message = "DDP keeps {whole} GB on each GPU: {count} parameters (by {source}), {each} bytes each with {optimizer}"
    help = "use `fully_shard`, which over {shards} GPUs keeps {part} GB on each"

    def found(self, site: Site) -> Match | None:
        """A wrapped model in a file that declares one size of a model."""
        model = argument(site.call, "module", 0)
        made = _made(site, model, site.block) if model is not None else None
        declared = _declared_size(*made) if made is not None else None
        if made is None or declared is None or _freezes_weights(site):
            return None
        half = any(last_name(item.value) in _HALF or constant(item.value) in _HALF for item in made[0].keywords)
        fields, whole = _figures(declared[0], *_optimizer(site), half=half)
        about = "about " if declared[1].startswith('"') else ""
        fields |= {"count": f"{about}{declared[0] / 1e9:.1f} billion", "source": declared[1]}
        if whole < _DEVICE_MEMORY / 2:
            return None
        return Match(site, doubted(bool(about)) if whole > _DEVICE_MEMORY else Confidence.POSSIBLE, fields)


def _optimizer(site: Site) -> tuple[str, int]:
    """The optimizer with the most states for each parameter that the file builds, and how many; Adam where none is."""
    used = [row for row in CLASSES.values() if any(site.calls(row.name))]
    row = max(used or CLASSES.values(), key=lambda item: item.moments)
    moments = row.moments
    if row.momentum_at is not None:
        given = [argument(built.call, "momentum", row.momentum_at) for built in site.calls(row.name)]
        moments += any(constant(item) not in (..., 0) for item in given if item is not None)
    return row.name, moments


def _figures(parameters: float, optimizer: str, moments: int, *, half: bool) -> tuple[dict[str, object], float]:
    """What a message says of the states, and how many gigabytes they take on each GPU."""
    from trainlint.planning.memory import memory
    from trainlint.planning.model import model_of_parameters
    from trainlint.planning.states import state_bytes
    from trainlint.planning.strategies import DDP, FSDP2
    from trainlint.planning.training import Cluster, Optimizer, Precision, Training

    precision = Precision.BF16 if half else Precision.FP32
    training = Training(precision, Optimizer(optimizer, moments), cluster=Cluster(gpus=_SHARDS))
    whole, part = (memory(model_of_parameters(parameters), training, way).states / 1e9 for way in (DDP, FSDP2))
    each = state_bytes(precision, training.optimizer).total
    fields = {"whole": f"{whole:.0f}", "part": f"{part:.0f}", "shards": _SHARDS, "each": f"{each:g}"}
    return {**fields, "optimizer": optimizer}, whole


def _freezes_weights(site: Site) -> bool:
    """Whether the file freezes weights, which need neither gradients nor states."""
    stores = (place.statement for place in site.file.outline.stores.get("requires_grad", ()))
    calls = (argument(called.call, "requires_grad", 0) for called in site.calls("requires_grad_"))
    values = [*(store.value for store in stores if isinstance(store, ast.Assign)), *calls]
    return any(value is not None and constant(value) is False for value in values)


def _made(site: Site, node: ast.expr, block: Block, depth: int = 8) -> tuple[ast.Call, Block] | None:
    """The call that makes what an expression stands for: through names, `.to(device)` and functions of the file."""
    behind = _behind(site, node, block) if depth else None
    if behind is not None:
        return _made(site, *behind, depth - 1)
    return (node, block) if isinstance(node, ast.Call) else None


def _behind(site: Site, node: ast.expr, block: Block) -> tuple[ast.expr, Block] | None:
    found: list[tuple[ast.expr | None, Block]] = []
    match node:
        case ast.Name():
            bound = [item for item in reaching(node.id, block, position(node)) if item.how is How.ASSIGN]
            found = [(item.value, item.block) for item in bound]
        case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in RETURN_SELF:
            return value, block
        case ast.Call() if (edge := site.file.graph.callee.get(node)) is not None:
            found = [(p.node.value, p.block) for p in edge.function.returns if isinstance(p.node, ast.Return)]
    if len(found) != 1 or (made := found[0][0]) is None:
        return None
    return made, found[0][1]


def _declared_size(call: ast.Call, block: Block) -> tuple[float, str] | None:
    """The parameters of the model that a call makes, by its name or its configuration, and what says so."""
    given = call.args[0] if call.args else None
    given = (single_value(given, block) or given) if given is not None else None
    text = constant(given)
    if isinstance(text, str) and last_name(call.func) == "from_pretrained":
        found = _SIZE.findall(text) if not _QUANTISED.search(text) else []
        return (float(found[0]) * 1e9, f'"{text}"') if len(found) == 1 else None
    parameters = _of_configuration(given) if isinstance(given, ast.Call) else None
    return (parameters, f"`{last_name(given)}`") if parameters is not None and given is not None else None


def _of_configuration(call: ast.Call) -> float | None:
    """The parameters of a configuration class of transformers; None where the planner cannot count them."""
    from trainlint.planning.configuration import transformer_of_config
    from trainlint.planning.families import FAMILIES
    from trainlint.planning.values import BadConfig

    kind = last_name(call.func).removesuffix("Config").lower()
    family, given = FAMILIES.get(kind), {item.arg or "": constant(item.value) for item in call.keywords}
    if family is None or family.sizes is None or call.args or ... in given.values():
        return None
    names = ("num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size", "vocab_size")
    config = {"model_type": kind, **family.defaults, **dict(zip(names, family.sizes, strict=True)), **given}
    try:
        return transformer_of_config(config, 1).numbers.parameters
    except BadConfig:
        return None
