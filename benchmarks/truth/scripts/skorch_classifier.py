# requires: skorch==1.4.0
# packages: skorch
# kind: trainer
import numpy as np
import torch
from skorch import NeuralNetClassifier

rng = np.random.default_rng(0)
inputs = rng.normal(size=(160, 8)).astype("float32")
labels = (inputs[:, 0] > 0).astype("int64")
network = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2), torch.nn.Softmax(-1))
learner = NeuralNetClassifier(network, max_epochs=3, batch_size=16, device="cuda", verbose=0)
learner.fit(inputs, labels)
