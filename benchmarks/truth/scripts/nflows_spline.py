# requires: nflows==0.14
# packages: nflows
# kind: generative
import torch
from nflows.distributions.normal import StandardNormal
from nflows.flows import MaskedAutoregressiveFlow
from nflows.flows.base import Flow
from nflows.transforms.autoregressive import MaskedPiecewiseRationalQuadraticAutoregressiveTransform
from nflows.transforms.base import CompositeTransform
from nflows.transforms.lu import LULinear
from nflows.transforms.permutations import RandomPermutation

parts = []
for _ in range(2):
    parts += [
        RandomPermutation(features=4),
        LULinear(4, identity_init=True),
        MaskedPiecewiseRationalQuadraticAutoregressiveTransform(
            features=4, hidden_features=16, num_bins=4, tails="linear", tail_bound=3.0, num_blocks=1
        ),
    ]
flow = Flow(CompositeTransform(parts), StandardNormal([4])).to("cuda")
affine = MaskedAutoregressiveFlow(4, 16, num_layers=2, num_blocks_per_layer=1).to("cuda")
optimizer = torch.optim.Adam([*flow.parameters(), *affine.parameters()], lr=1e-3)
for _ in range(14):
    inputs = torch.randn(32, 4).to("cuda")
    optimizer.zero_grad()
    loss = -flow.log_prob(inputs=inputs).mean() - affine.log_prob(inputs=inputs).mean()
    loss.backward()
    optimizer.step()
