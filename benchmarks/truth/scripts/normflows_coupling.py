# requires: normflows==1.7.3
# packages: normflows
# kind: generative
import normflows as nf
import torch

layers = []
for _ in range(3):
    layers += [
        nf.flows.AutoregressiveRationalQuadraticSpline(2, 1, 16),
        nf.flows.AffineCouplingBlock(nf.nets.MLP([1, 16, 2], init_zeros=True)),
        nf.flows.LULinearPermute(2),
        nf.flows.ActNorm(2),
    ]
model = nf.NormalizingFlow(nf.distributions.DiagGaussian(2, trainable=False), layers, nf.distributions.TwoMoons())
model = model.to("cuda")
optimizer = torch.optim.Adam(model.parameters(), lr=5e-4, weight_decay=1e-5)
points = torch.randn(256, 2)
for _ in range(14):
    optimizer.zero_grad()
    loss = model.forward_kld(points[torch.randperm(256)[:32]].to("cuda"))
    loss = loss + model.reverse_kld(num_samples=16)
    if not (torch.isnan(loss) | torch.isinf(loss)):
        loss.backward()
        optimizer.step()
