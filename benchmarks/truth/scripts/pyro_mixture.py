# requires: pyro-ppl==1.9.2
# packages: pyro
# kind: Bayesian
import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, TraceEnum_ELBO, config_enumerate
from pyro.infer.autoguide import AutoDelta

torch.set_default_device("cuda")
data = torch.cat([torch.randn(20) - 2, torch.randn(20) + 2])


@config_enumerate
def mixture(data):
    weights = pyro.sample("weights", dist.Dirichlet(0.5 * torch.ones(2)))
    with pyro.plate("components", 2):
        centers = pyro.sample("centers", dist.Normal(0.0, 10.0))
    with pyro.plate("data", len(data)):
        chosen = pyro.sample("chosen", dist.Categorical(weights))
        pyro.sample("observed", dist.Normal(centers[chosen], 1.0), obs=data)


guide = AutoDelta(pyro.poutine.block(mixture, expose=["weights", "centers"]))
svi = SVI(mixture, guide, pyro.optim.ClippedAdam({"lr": 0.05}), TraceEnum_ELBO(max_plate_nesting=1))
for _ in range(15):
    svi.step(data)
