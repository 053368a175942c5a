"""What the models are trained for."""

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives
import torch.nn.functional as F


@torch.no_grad()
def gather_features(features):
    """The features of all ranks, without gradients."""
    everyone = features.new_empty((dist.get_world_size() * features.shape[0], *features.shape[1:]))
    dist.all_gather_into_tensor(everyone, features.detach().contiguous())
    return everyone


def gather_with_gradient(features):
    return collectives.all_gather_single(features, gather_dim=0, group=dist.group.WORLD)


def contrastive_loss(pictures, captions, scale):
    """Each picture against the captions of all ranks."""
    everyone = gather_features(captions)
    logits = scale * pictures @ everyone.t()
    targets = torch.arange(len(pictures), device=logits.device) + dist.get_rank() * len(pictures)
    return F.cross_entropy(logits, targets)


def sigmoid_loss(pictures, captions, scale):
    """The pairwise form, which needs no softmax over all captions."""
    logits = scale * pictures @ gather_with_gradient(captions).t()
    return F.softplus(-logits.diagonal()).mean()


def caption_loss(logits, tokens, weights=None, padding=0):
    """The mean over the words that are no padding."""
    losses = F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), reduction="none")
    words = tokens[:, 1:].flatten() != padding
    if weights is not None:
        losses = losses * weights.repeat_interleave(tokens.shape[1] - 1)
    return (losses * words).sum() / words.sum()


def hard_label_loss(scores, labels):
    return F.cross_entropy(scores, labels)


def soft_label_loss(student_scores, teacher_scores, temperature):
    """The distance between the answers of two networks."""
    student = F.log_softmax(student_scores / temperature, dim=-1)
    teacher = F.softmax(teacher_scores / temperature, dim=-1)
    return F.kl_div(student, teacher, reduction="batchmean") * temperature**2


def region_loss(scores, labels):
    return F.cross_entropy(scores, labels)
