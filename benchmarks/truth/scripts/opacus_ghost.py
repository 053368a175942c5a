# requires: opacus==1.6.0
# packages: opacus
# kind: federated and private
import torch
from opacus import PrivacyEngine
from torch.utils.data import DataLoader, TensorDataset

model = torch.nn.Sequential(torch.nn.Embedding(40, 8), torch.nn.Flatten(), torch.nn.Linear(48, 2)).to("cuda")
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
loader = DataLoader(TensorDataset(torch.randint(0, 40, (160, 6)), torch.randint(0, 2, (160,))), batch_size=16)
engine = PrivacyEngine(accountant="rdp")
criterion = torch.nn.CrossEntropyLoss()
model, optimizer, criterion, loader = engine.make_private(
    module=model,
    optimizer=optimizer,
    criterion=criterion,
    data_loader=loader,
    noise_multiplier=1.1,
    max_grad_norm=1.0,
    grad_sample_mode="ghost",
    clipping="flat",
)
for _ in range(2):
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs.to("cuda")), labels.to("cuda"))
        loss.backward()
        optimizer.step()
        engine.get_epsilon(1e-5)
