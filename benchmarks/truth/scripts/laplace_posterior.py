# requires: laplace-torch==0.3
# packages: laplace
# kind: Bayesian
import torch
from laplace.marglik_training import marglik_training
from torch.utils.data import DataLoader, TensorDataset

inputs, labels = torch.randn(96, 4), torch.randint(0, 3, (96,))
loader = DataLoader(TensorDataset(inputs.to("cuda"), labels.to("cuda")), batch_size=16)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)).to("cuda")
marglik_training(
    model=model,
    train_loader=loader,
    likelihood="classification",
    hessian_structure="diag",
    n_epochs=3,
    marglik_frequency=1,
)
