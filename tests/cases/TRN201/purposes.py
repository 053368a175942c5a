"""Reads for a guard, for a bar, for all ranks, for texts and in a helper; and one of an evaluation in a step."""

import math

import torch
from tqdm import tqdm


def to_number(value):
    if isinstance(value, torch.Tensor):
        value = value.item()  #! TRN201
    return value


def evaluate(outputs, targets):
    return (outputs.argmax(1) == targets).float().mean().item()


def train(model, criterion, optimizer, accelerator, meter, train_loader, device):
    model = model.to(device)
    bar = tqdm(train_loader)
    for inputs, targets in bar:
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        outputs = model(inputs)
        loss = criterion(outputs, targets)
        if math.isnan(loss.item()):  #! TRN201
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.append(accelerator.gather(loss.detach()).mean().item())  #! TRN201 TRN215
        bar.set_postfix(loss=loss.item())  #! TRN201
        to_number(loss)
        accuracy = evaluate(outputs, targets)
        if accuracy > 0.9:
            break


def train_together(model, criterion, optimizer, train_loader, accelerator, device, epochs):
    last = False
    for done, (inputs, targets) in enumerate(train_loader):
        ended = torch.full((), int(last), dtype=torch.int32, device=device)
        torch.distributed.all_reduce(ended, op=torch.distributed.ReduceOp.MAX)
        last = bool(ended.item())  # all ranks leave the loop together  #! TRN201
        rows = torch.full((1,), len(inputs) if accelerator.is_main_process else 0, device=device)
        torch.distributed.broadcast(rows, src=0)
        first = int(rows.item())  # what the first rank has, and the others must know  #! TRN201
        loss = criterion(model(inputs.to(device, non_blocking=True)[:first]), targets.to(device, non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        reached = torch.full((), int(done >= epochs), device=device)
        if int(accelerator.reduce(reached, reduction="sum").item()) >= 1 or last:  #! TRN201
            break


def train_on_answers(model, teacher, tokenizer, optimizer, prompt_loader, device):
    for prompts in prompt_loader:
        prompts = prompts.to(device, non_blocking=True)
        with torch.no_grad():
            answers = teacher(prompts).argmax(-1)
        lengths = (answers != 0).sum(dim=1)
        texts = []
        for row in range(len(prompts)):
            length = int(lengths[row].item())  # the text is for people, and making it takes far longer  #! TRN201
            texts.append(tokenizer.decode(answers[row, :length].cpu().numpy(), skip_special_tokens=True))  #! TRN202
        loss = model(answers, texts).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
