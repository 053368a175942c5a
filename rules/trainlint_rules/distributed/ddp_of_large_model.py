"""TRN509."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.parallel import DDP_ORIGINS
from trainlint.analysis.tables.signs import ADAPTERS, DEEPSPEED, FEW_BITS, FSDP2, SHARDED, SMALL_STATES
from trainlint.contract.bases import CallRule
from trainlint.contract.confidence import doubted
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.autograd import runs_no_backward
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence, Severity
from trainlint_rules.distributed.idioms.wrapping.kept_states import fits, freezes_weights, kept_states


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
        shows("the code shards a model on another path", SHARDED, FSDP2, DEEPSPEED),
        freezes_weights,
        runs_no_backward,
        fits,
    )
    message = "DDP keeps {whole} GB on each GPU: {count} parameters (by {source}), {each} bytes each with {optimizer}"
    help = "use `fully_shard`, which over {shards} GPUs keeps {part} GB on each"

    def found(self, site: Site) -> Match | None:
        """A model of a known size that is wrapped whole."""
        kept = kept_states(site)
        if kept is None:
            return None
        sure = doubted(not kept.size.exact) if kept.exceeds_device else Confidence.POSSIBLE
        return Match(site, sure, kept.fields())
