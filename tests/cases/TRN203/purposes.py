"""Values that a bar shows, that all ranks agree on, or that end an answer: the host waits for them all the same."""

import torch


@torch.no_grad()
def generate(model, tokens, limit, world_size):
    stopped = torch.zeros(tokens.size(0), dtype=torch.bool, device="cuda")
    for _ in range(limit):
        tokens = torch.cat([tokens, model(tokens)[:, -1:].argmax(-1)], dim=1)
        stopped |= tokens[:, -1] == 0
        if stopped.all():  #! TRN203
            break
        everywhere = stopped.all().int()
        torch.distributed.all_reduce(everywhere)
        if everywhere == world_size:  #! TRN203
            break
    return tokens


def named_parts(outputs):
    return {f"{part.name}__split": part for part in outputs}


@torch.no_grad()
def test_accuracy(model, inputs, targets):
    return float((model(inputs.cuda()).argmax(-1) == targets.cuda()).float().mean())


def train_on_own_answers(model, optimizer, prompt_loader, device):
    for prompts in prompt_loader:
        prompts = prompts.to(device, non_blocking=True)
        answers = generate(model, prompts, 8, 2)
        loss = model(answers).logsumexp(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.remember(named_parts([loss, answers]), test_accuracy(model, prompts, answers))
