# requires: fastai==2.8.12
# packages: fastai
# kind: trainer
import torch
from fastai.callback.all import GradientClip, MixUp, SaveModelCallback
from fastai.data.core import DataLoaders
from fastai.learner import Learner
from fastai.losses import CrossEntropyLossFlat
from fastai.metrics import F1Score, accuracy
from torch.utils.data import DataLoader, TensorDataset

items = TensorDataset(torch.randn(160, 8), torch.randint(0, 3, (160,)))
loaders = DataLoaders(DataLoader(items, batch_size=16), DataLoader(items, batch_size=32), device="cuda")
network = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
learner = Learner(
    loaders,
    network.cuda(),
    loss_func=CrossEntropyLossFlat(),
    metrics=[accuracy, F1Score(average="macro")],
    cbs=[GradientClip(1.0), MixUp(0.2), SaveModelCallback(monitor="valid_loss")],
)
with learner.no_bar():
    learner.fit_one_cycle(3, 1e-3)
