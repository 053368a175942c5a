"""Evaluations without autograd, each in its own way, and evaluations that need it."""

import contextlib
import functools

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F

from remote import model_client


def frozen_time(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with torch.inference_mode():
            return function(*args, **kwargs)

    return wrapper


@contextlib.contextmanager
def evaluating(model):
    was = model.training
    model.eval()
    with torch.no_grad():
        yield
    model.train(was)


@frozen_time
def evaluate_decorated(model, val_loader):
    return sum((model(images).argmax(1) == labels).sum() for images, labels in val_loader)


@torch.inference_mode()
def evaluate(model, val_loader):
    hits = 0
    for images, labels in val_loader:
        hits += (model(images).argmax(1) == labels).sum()
    return hits


def evaluate_own_context(model, val_loader):
    hits = 0
    with evaluating(model):
        for images, labels in val_loader:
            hits += (model(images).argmax(1) == labels).sum()
    return hits


def evaluate_third_manager(model, val_loader, timer, path):
    model.eval()
    with open(path, "w") as log, timer.measure(), torch.no_grad():
        for images, _ in val_loader:
            log.write(str(model(images).shape))


def evaluate_exit_stack(model, val_loader):
    model.eval()
    with contextlib.ExitStack() as stack:
        if isinstance(model, nn.Module):
            stack.enter_context(evaluating(model))
        stack.enter_context(torch.no_grad())
        for images, _ in val_loader:
            model(images)


def evaluate_switched_off(model, val_loader):
    torch.set_grad_enabled(False)
    model.eval()
    for images, _ in val_loader:
        model(images)
    torch.set_grad_enabled(True)


def evaluate_prepared_context(model, val_loader, train):
    model.eval()
    context = contextlib.nullcontext() if train else torch.no_grad()
    for images, _ in val_loader:
        with context:
            model(images)


def validate_inside(model, val_loader):
    model.eval()
    for images, _ in val_loader:
        score_batch(model, images)


def score_batch(model, images):
    with torch.no_grad():
        return model(images)


def called_without_graph(model, val_loader):
    model.eval()
    for images, _ in val_loader:
        model(images)


def main(model, val_loader):
    with torch.no_grad():
        called_without_graph(model, val_loader)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(16, 4)

    @torch.no_grad()
    def forward(self, images):
        return self.body(images)


def evaluate_module_without_graph(val_loader):
    classifier = Classifier().eval()
    for images, _ in val_loader:
        classifier(images)


class Module(L.LightningModule):
    def validation_step(self, batch, index):
        for part in self.val_loader:
            self.model(part)


def evaluate_attacked(model, val_loader, epsilon):
    model.eval()
    hits = 0
    for images, labels in val_loader:
        images.requires_grad_()
        slope = torch.autograd.grad(F.cross_entropy(model(images), labels), images)[0]
        hits += (model(images + epsilon * slope.sign()).argmax(1) == labels).sum()
    return hits


def explain(model, val_loader, explainer):
    model.eval()
    for images, labels in val_loader:
        explainer.attribute(images, model(images).argmax(1))


def evaluate_with_training(model, val_loader, optimizer, adapt):
    model.eval()
    for images, _ in val_loader:
        adapt(model, optimizer, images)
        model(images)


def evaluate_frozen(teacher, val_loader):
    teacher.eval()
    for parameter in teacher.parameters():
        parameter.requires_grad = False
    for images, _ in val_loader:
        teacher(images)


def evaluate_shapes(model, val_loader):
    for images, _ in val_loader:
        model(images)
        break


def evaluate_service(val_loader):
    for images, _ in val_loader:
        model_client(images)


def evaluate_statistics(train_loader):
    mean = torch.zeros(3)
    for images, _ in train_loader:
        mean += images.mean((0, 2, 3))
    return mean / len(train_loader)


def evaluate_then_learn(model, val_loader, optimizer):
    model.eval()
    features = []
    for images, _ in val_loader:
        features.append(model(images))
    loss = torch.cat(features).var()
    loss.backward()
    optimizer.step()


def reinforce(policy, env, optimizer, episodes):
    for _ in range(episodes):
        observation, chances = env.reset(), []
        for _ in range(500):
            probabilities = policy(observation)
            choice = torch.distributions.Categorical(probabilities)
            action = choice.sample()
            chances.append(choice.log_prob(action))
            observation, reward = env.step(action.numpy())
        loss = -(reward * torch.stack(chances)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Boxes:
    def simple_test(self, model, images):
        # A tensor with a graph has no `.numpy()` without `.detach()`: whoever calls this has switched autograd off.
        self.eval()
        boxes, labels = model(images)
        return boxes.cpu().numpy(), labels.cpu().numpy()
