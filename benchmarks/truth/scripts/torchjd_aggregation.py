# requires: torchjd==0.18.0
# packages: torchjd
# kind: optimizers
import torch
from torchjd.aggregation import PCGrad
from torchjd.autojac import backward, jac_to_grad

model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
aggregator = PCGrad()
for _ in range(12):
    inputs = torch.randn(16, 8, device="cuda")
    output = model(inputs)
    losses = torch.stack([output[:, 0].square().mean(), (output[:, 1] - 1).square().mean()])
    optimizer.zero_grad()
    backward(losses)
    jac_to_grad(model.parameters(), aggregator)
    optimizer.step()
