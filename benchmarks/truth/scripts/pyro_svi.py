# requires: pyro-ppl==1.9.2
# packages: pyro
# kind: Bayesian
import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoNormal

torch.set_default_device("cuda")
inputs = torch.randn(64, 3)
targets = inputs.sum(-1)


def model(inputs, targets):
    weights = pyro.sample("weights", dist.Normal(torch.zeros(3), torch.ones(3)).to_event(1))
    scale = pyro.sample("scale", dist.LogNormal(torch.tensor(0.0), torch.tensor(1.0)))
    with pyro.plate("data", 64):
        pyro.sample("observed", dist.Normal(inputs @ weights, scale), obs=targets)


svi = SVI(model, AutoNormal(model), pyro.optim.Adam({"lr": 0.01}), Trace_ELBO())
for _ in range(15):
    svi.step(inputs, targets)
