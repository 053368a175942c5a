# requires: opacus==1.6.0
# packages: opacus
# kind: federated and private
import torch
from opacus import PrivacyEngine
from torch.utils.data import DataLoader, TensorDataset

model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2)).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
loader = DataLoader(TensorDataset(torch.randn(160, 8), torch.randint(0, 2, (160,))), batch_size=8)
engine = PrivacyEngine(accountant="prv")
model, optimizer, loader = engine.make_private(
    module=model, optimizer=optimizer, data_loader=loader, noise_multiplier=1.1, max_grad_norm=1.0
)
for inputs, labels in loader:
    loss = torch.nn.functional.cross_entropy(model(inputs.to("cuda")), labels.to("cuda"))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
