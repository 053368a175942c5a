"""TRN509."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.optimizers import CLASSES
from trainlint.analysis.tables.parallel import DDP_ORIGINS
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint_rules.distributed.idioms.model_size import DeclaredSize, declared_size
from trainlint_rules.distributed.idioms.model_sizes import ModelStates

_SHARDS = 8
_DEVICE_MEMORY = 80
"""GB of one GPU."""
_CUT_DOWN = lazy(
    r"peft|lora|adapter|BitsAndBytes|load_in_[48]bit|8bit|adafactor|galore|requires_grad(_\(|\s*=\s*)False|device_map|"
    r"deepspeed|FSDP|FullyShardedDataParallel|fully_shard|ZeroRedundancyOptimizer",
    re.IGNORECASE,
)
"""Signs that the file keeps less than all states of the model, or shards them on another path."""


class DdpOfLargeModel(Rule):
    """DistributedDataParallel around a model whose states fill much of each GPU

    ## Why
    DistributedDataParallel keeps the whole model in every process: weights, gradients and optimizer states. With
    Adam that is 16 bytes a parameter, in float32 (4 + 4 + 8) as in mixed precision, before any activation. A model of
    7 billion parameters holds 112 GB in each of 8 GPUs, eight times the same. `fully_shard` cuts the three of them
    into pieces: 14 GB in each, for half as much communication again, most of it hidden behind computation.

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

    ## Stays silent
    Where the states take less than 40 GB, which is half of a GPU with 80 GB. Where the size is not written out: only a
    size in a model's name ("7b") or a configuration of plain numbers counts, never a word such as "large". With LoRA
    and other adapters, frozen weights, quantised weights or optimizers, where the file shards on another path, and
    where nothing trains.

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
    preview = True
    heat_matters = False
    triggers = Triggers(references=DDP_ORIGINS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find models of a known size that are wrapped whole, and say what each GPU keeps of them."""
        place = call_of(site.file, site.node)
        if place is None or site.file.says(_CUT_DOWN) or not _trains(site.file):
            return
        call = place.node
        wrapped = argument(call, "module", 0) if isinstance(call, ast.Call) else None
        size = declared_size(site.file.kinds, wrapped, place.block) if wrapped is not None else None
        if size is None:
            return
        states, optimizer = _states(site.file, size)
        if states.gigabytes(size.parameters) >= _DEVICE_MEMORY / 2:
            yield self.finding(site, _message(size, states, optimizer), at=call, confidence=0.9 if size.exact else 0.8)


def _trains(file: SemanticModel) -> bool:
    return "backward" in file.outline.calls


def _states(file: SemanticModel, size: DeclaredSize) -> tuple[ModelStates, str]:
    """What each process keeps, and the name of the optimizer that this counts with: Adam where none is seen."""
    # The optimizer's states have the type of the parameters.
    each: float = 2 if size.half else 4
    moments, optimizer = 2, "Adam"
    for row in sorted(CLASSES.values(), key=lambda row: row.moments):
        for place in file.outline.calls.get(row.name, ()):
            assert isinstance(place.node, ast.Call)
            moments, optimizer = row.moments, row.name
            if row.momentum_at is not None:
                momentum = constant(argument(place.node, "momentum", row.momentum_at))
                moments += momentum not in (..., 0)
    return ModelStates(each, each, each * moments), optimizer


def _message(size: DeclaredSize, states: ModelStates, optimizer: str) -> str:
    count = f"{'' if size.exact else 'about '}{size.parameters / 1e9:.1f} billion parameters (by {size.source})"
    whole, part = states.gigabytes(size.parameters), states.gigabytes(size.parameters, _SHARDS)
    return (
        f"DistributedDataParallel keeps all states of this model in every process: {count} at {states.total:g} bytes "
        f"each with {optimizer} are {whole:.0f} GB on each GPU; `fully_shard` over {_SHARDS} GPUs keeps {part:.0f} GB"
    )
