# requires: poutyne==1.19.0 torchmetrics==1.9.0
# packages: poutyne
# kind: trainer
import numpy as np
import torch
from poutyne import ClipNorm, EarlyStopping, Model

rng = np.random.default_rng(0)
inputs = rng.normal(size=(200, 8)).astype("float32")
labels = (inputs[:, 0] > 0).astype("int64")
network = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
model = Model(network, "sgd", "cross_entropy", batch_metrics=["accuracy"], epoch_metrics=["f1"], device="cuda:0")
model.fit(
    inputs[:160],
    labels[:160],
    validation_data=(inputs[160:], labels[160:]),
    epochs=3,
    batch_size=16,
    callbacks=[ClipNorm(network.parameters(), 1.0), EarlyStopping()],
    progress_options={"coloring": False},
)
