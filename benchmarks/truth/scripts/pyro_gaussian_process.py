# requires: pyro-ppl==1.9.2
# packages: pyro
# kind: Gaussian processes
import pyro.contrib.gp as gp
import torch
from pyro.infer import Trace_ELBO

torch.set_default_device("cuda")
inputs = torch.linspace(0.0, 5.0, 30)
targets = torch.sin(3 * inputs) + 0.1 * torch.randn(30)
kernel = gp.kernels.RBF(input_dim=1, variance=torch.tensor(5.0), lengthscale=torch.tensor(1.0))
model = gp.models.SparseGPRegression(inputs, targets, kernel, Xu=torch.linspace(0, 5, 6), jitter=1e-4)
likelihood = gp.likelihoods.Gaussian(variance=torch.tensor(0.1))
variational = gp.models.VariationalGP(inputs, targets, gp.kernels.Matern32(1), likelihood=likelihood, whiten=True)
optimizer = torch.optim.Adam([*model.parameters(), *variational.parameters()], lr=0.005)
loss_of = Trace_ELBO().differentiable_loss
for _ in range(14):
    optimizer.zero_grad()
    loss = loss_of(model.model, model.guide) + loss_of(variational.model, variational.guide)
    loss.backward()
    optimizer.step()
