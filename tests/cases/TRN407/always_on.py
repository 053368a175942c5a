"""Each run is deterministic: by the seeding helper, by its caller, and by the script itself."""

import random

import numpy as np
import torch
import torch.backends.cudnn as cudnn
from lightning import Trainer

from project.seeding import init_seeds

torch.use_deterministic_algorithms(True)  #! TRN407


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)
        cudnn.deterministic = True  #! TRN407
        cudnn.benchmark = False


def train(model, optimizer, train_loader, rank, options):
    init_seeds(options.seed + rank, deterministic=True)  #! TRN407
    for inputs, targets in train_loader:
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(options, model, optimizer, train_loader, module):
    seed_everything(options.seed)
    if not options.search:
        train(model, optimizer, train_loader, 0, options)
    Trainer(max_epochs=3, deterministic=True).fit(module)  #! TRN407
