"""A trainer that shards its model as one unit."""

from torch.distributed.fsdp import fully_shard

from networks import build


class Trainer:
    def __init__(self, config, mesh, options):
        self.model = build(config)
        fully_shard(self.model, mesh=mesh, **options)  #! TRN513
