# requires: e3nn==0.6.0
# packages: e3nn
# kind: molecules and physics
import torch
from e3nn import io, o3
from e3nn.math import soft_one_hot_linspace
from e3nn.nn import BatchNorm, FullyConnectedNet, Gate


class Network(torch.nn.Module):
    """A convolution over all pairs of points, as the documentation builds it, and a gate."""

    def __init__(self):
        super().__init__()
        self.harmonics = o3.Irreps.spherical_harmonics(2)
        self.gate = Gate("8x0e", [torch.relu], "4x0e", [torch.sigmoid], "4x1o")
        self.product = o3.FullyConnectedTensorProduct("4x0e", self.harmonics, self.gate.irreps_in, shared_weights=False)
        self.weights = FullyConnectedNet([10, 16, self.product.weight_numel], torch.relu)
        self.norm = BatchNorm(self.gate.irreps_in)
        self.linear = o3.Linear(self.gate.irreps_out, "1x0e")

    def forward(self, features, positions):
        offsets = (positions[:, None] - positions[None]).reshape(-1, 3)
        harmonics = o3.spherical_harmonics(self.harmonics, offsets, normalize=True, normalization="component")
        radial = soft_one_hot_linspace(offsets.norm(dim=1), 0.0, 3.0, 10, basis="smooth_finite", cutoff=True)
        messages = self.product(features.repeat(len(positions), 1), harmonics, self.weights(radial))
        return self.linear(self.gate(self.norm(messages.reshape(len(positions), len(positions), -1).sum(1))))


model = Network().cuda()
tensor = io.CartesianTensor("ij=ji")
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    positions, features = torch.randn(6, 3, device="cuda"), torch.randn(6, 4, device="cuda")
    turn = o3.rand_matrix(device="cuda")
    loss = (model(features, positions) - model(features, positions @ turn.T)).square().mean()
    loss = loss + model(features, positions).sub(1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
