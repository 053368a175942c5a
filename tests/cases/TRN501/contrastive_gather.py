"""Gathers of a contrastive loss, as they stand in many repositories."""

import torch
import torch.distributed as dist


def gather_scores(scores, group):
    parts = [
        torch.empty(scores.shape, dtype=scores.dtype, device=scores.device)
        for _ in range(dist.get_world_size(group))
    ]
    dist.all_gather(parts, scores.contiguous(), group=group)  #! TRN501
    parts = torch.stack(parts)
    return parts.mean(dim=0)


def features_of_all(image_features, rank, world_size, local_loss):
    gathered = [torch.zeros_like(image_features) for _ in range(world_size)]
    dist.all_gather(gathered, image_features)  #! TRN501
    if not local_loss:
        gathered[rank] = image_features
    return torch.cat(gathered)
