# requires: byol-pytorch==0.9.1 torchvision==0.28.0
# packages: byol_pytorch
# kind: self-supervised
import torch
from byol_pytorch import BYOL
from torchvision import models

network = models.resnet18().cuda()
learner = BYOL(network, image_size=32, hidden_layer="avgpool", projection_size=32, projection_hidden_size=64)
optimizer = torch.optim.Adam(learner.parameters(), lr=3e-4)
for _ in range(12):
    loss = learner(torch.randn(4, 3, 32, 32, device="cuda"))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    learner.update_moving_average()
