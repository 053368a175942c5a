"""A teacher and an average that are only evaluated, and a model that trains with frozen statistics throughout."""

import torch


def distill(model, teacher, average, optimizer, train_loader, epochs):
    model.eval()
    for epoch in range(epochs):
        for inputs, _ in train_loader:
            with torch.no_grad():
                wanted = teacher(inputs)
            loss = (model(inputs) - wanted).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        teacher.eval()
        average.eval()
