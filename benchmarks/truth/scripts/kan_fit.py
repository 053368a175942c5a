# requires: pykan==0.2.8 scikit-learn matplotlib sympy tqdm pandas pyyaml
# packages: kan
# kind: molecules and physics
import torch
from kan import KAN

inputs = torch.rand(128, 2, device="cuda") * 2 - 1
labels = torch.exp(torch.sin(torch.pi * inputs[:, [0]]) + inputs[:, [1]] ** 2)
dataset = {
    "train_input": inputs[:96],
    "train_label": labels[:96],
    "test_input": inputs[96:],
    "test_label": labels[96:],
}
model = KAN(width=[2, 3, 1], grid=3, k=3, seed=0, device="cuda", auto_save=False)
model.fit(dataset, opt="Adam", steps=30, lr=1e-2, lamb=1e-3, lamb_entropy=2.0, batch=32)
