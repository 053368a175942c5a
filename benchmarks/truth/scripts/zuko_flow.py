# requires: zuko==1.6.0
# packages: zuko
# kind: generative
import torch
import zuko

spline = zuko.flows.NSF(features=3, context=2, transforms=2, hidden_features=(16, 16)).cuda()
continuous = zuko.flows.CNF(features=3, context=2, hidden_features=(16,)).cuda()
optimizer = torch.optim.Adam([*spline.parameters(), *continuous.parameters()], lr=1e-3)
for _ in range(12):
    values, context = torch.randn(16, 3, device="cuda"), torch.randn(16, 2, device="cuda")
    loss = -spline(context).log_prob(values).mean() - continuous(context).log_prob(values).mean()
    loss = loss + spline(context).rsample().square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
