"""Each n-th batch makes a step, and nothing is divided by n."""

import torch


def every_nth(args, log, model, criterion, optimizer, loader):
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        loss.backward()  #! TRN307
        if (step + 1) % args.grad_accumulation == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            optimizer.step()
            optimizer.zero_grad()
    total = len(loader) // args.grad_accumulation
    log.info(f"{total} steps of {args.grad_accumulation} batches")


def in_half_precision(model, criterion, optimizer, loader, scaler, update_freq):
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(model(inputs), targets)
        scaler.scale(loss).backward()  #! TRN307
        if step % update_freq != update_freq - 1:
            continue
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
