"""What the models are trained for."""

import torch
import torch.distributed as dist
import torch.distributed.nn
import torch.nn.functional as F


@torch.no_grad()
def gather_features(features):
    """The features of all ranks, without gradients."""
    pieces = [torch.zeros_like(features) for _ in range(dist.get_world_size())]
    dist.all_gather(pieces, features)  #! TRN501
    return torch.cat(pieces, dim=0)


def gather_with_gradient(features):
    return torch.cat(torch.distributed.nn.all_gather(features))  #! TRN812


def contrastive_loss(pictures, captions, scale):
    """Each picture against the captions of all ranks."""
    everyone = gather_features(captions)
    logits = scale * pictures @ everyone.t()
    targets = torch.arange(len(pictures), device=logits.device) + dist.get_rank() * len(pictures)
    return F.cross_entropy(logits, targets)


def sigmoid_loss(pictures, captions, scale):
    """The pairwise form, which needs no softmax over all captions."""
    logits = scale * pictures @ gather_with_gradient(captions).t()
    return torch.log(1 + torch.exp(-logits.diagonal())).mean()  #! TRN811


def caption_loss(logits, tokens, weights=None, padding=0):
    """The mean over the words that are no padding."""
    losses = F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), reduction="none")
    words = tokens[:, 1:].flatten() != padding
    if weights is not None:
        losses = losses * weights.repeat_interleave(tokens.shape[1] - 1)
    return losses[words].mean()  #! TRN209


def hard_label_loss(scores, labels):
    return F.nll_loss(F.log_softmax(scores, dim=1), labels)


def soft_label_loss(student_scores, teacher_scores, temperature):
    """The distance between the answers of two networks."""
    student = F.log_softmax(student_scores / temperature, dim=-1)
    teacher = F.softmax(teacher_scores / temperature, dim=-1)
    return F.kl_div(student, teacher, reduction="batchmean") * temperature**2


def region_loss(scores, labels):
    probabilities = torch.softmax(scores, dim=-1)
    return F.cross_entropy(probabilities, labels)  #! TRN709
