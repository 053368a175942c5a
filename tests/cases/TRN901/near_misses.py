"""Clocks that wait, that are right on average, or that time something else."""

import time

import torch


def waits_first(model, batch, device):
    model = model.to(device)
    torch.cuda.synchronize()
    start = time.perf_counter()
    model(batch)
    torch.cuda.synchronize()
    return time.perf_counter() - start


def goes_round(model, optimizer, train_loader, meter, device):
    model = model.to(device)
    end = time.time()
    for inputs in train_loader:
        meter.waited(time.time() - end)
        loss = model(inputs.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.took(time.time() - end)
        end = time.time()


def whole_epochs(model, optimizer, train_loader, device):
    model = model.to(device)
    for epoch in range(10):
        start = time.time()
        for inputs in train_loader:
            loss = model(inputs.to(device, non_blocking=True)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, time.time() - start)


@torch.no_grad()
def reads_the_answer(model, batch, device):
    model = model.to(device)
    start = time.time()
    answer = model(batch).argmax(-1).tolist()
    return answer, time.time() - start


def hands_it_on(model, batch, show, device):
    model = model.to(device)
    start = time.time()
    show(model(batch))
    return time.time() - start


def asks_a_part(model, optimizer, train_loader, log, device):
    model = model.to(device)
    for inputs in train_loader:
        start = time.time()
        loss = model(inputs.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        log(loss)
        optimizer.step()
        log(start)


def reads_before_a_short_step(model, optimizer, inputs, device):
    model = model.to(device)
    start = time.time()
    loss = model(inputs).mean()
    loss.backward()
    value = loss.item()
    optimizer.step()
    return value, time.time() - start


def loads(train_loader, device):
    start = time.time()
    batch = next(iter(train_loader)).to(device, non_blocking=True)
    return batch, time.time() - start


def rate(model, inputs, device):
    model = model.to(device)
    start = time.time()
    model(inputs)
    return len(inputs) / (time.time() - start)


def builds_a_file(builder, network, config):
    model = network.to("cuda")
    start = time.time()
    engine = builder.build_serialized_network(model, config)
    return engine, time.time() - start


def first_rounds_are_not_timed(model, criterion, loader, labels):
    model = model.to("cuda")
    for number, inputs in enumerate(loader):
        start = time.time()
        loss = criterion(model(inputs), labels)
        end = time.time()
        loss.backward()
        if number >= 3:
            break
    for inputs in loader:
        start = time.time()
        loss = criterion(model(inputs), labels)
        torch.cuda.synchronize()
        end = time.time()
        log(end - start)
