# requires: pytorch_optimizer==4.1.0
# packages: pytorch_optimizer
# kind: optimizers
import torch
from pytorch_optimizer import SAM, BCEFocalLoss, Lookahead, load_optimizer

names = ["adabelief", "adan", "lion", "prodigy", "ranger21", "shampoo", "sophiah", "lamb"]
models = [torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)).cuda() for _ in names]
optimizers = []
for name, model in zip(names, models, strict=True):
    words = {"num_iterations": 12} if name == "ranger21" else {}
    optimizers.append(load_optimizer(name)(model.parameters(), lr=1e-3, **words))
optimizers[0] = Lookahead(optimizers[0], k=3, alpha=0.5)
sharp = torch.nn.Linear(8, 1).cuda()
ascent = SAM(sharp.parameters(), torch.optim.SGD, lr=0.01)
loss_of = BCEFocalLoss()
for _ in range(12):
    inputs, labels = torch.randn(16, 8, device="cuda"), torch.randint(0, 2, (16, 1), device="cuda").float()
    for model, optimizer in zip(models, optimizers, strict=True):
        optimizer.zero_grad()
        loss_of(model(inputs), labels).backward(create_graph=True)
        optimizer.step()
    loss_of(sharp(inputs), labels).backward()
    ascent.first_step(zero_grad=True)
    loss_of(sharp(inputs), labels).backward()
    ascent.second_step(zero_grad=True)
