"""Each batch is trained on several times, so the inner loop counts epochs and yet runs in each step."""

import torch


def train(policy, optimizer, prompt_loader, device, rounds, chunk):
    for prompts in prompt_loader:
        answers = sample(policy, prompts.to(device, non_blocking=True))
        for _ in range(rounds):
            for start in range(0, len(answers), chunk):
                loss = policy(answers[start : start + chunk]).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                torch.cuda.empty_cache()  #! TRN301


def sample(policy, prompts):
    with torch.no_grad():
        answers = policy.generate(prompts)
    torch.cuda.empty_cache()  #! TRN301
    return answers
