# requires: vit-pytorch==1.26.14
# packages: vit_pytorch
# kind: self-supervised
import torch
from vit_pytorch import Dino, ViT

network = ViT(image_size=32, patch_size=8, num_classes=5, dim=32, depth=1, heads=2, mlp_dim=64)
learner = Dino(network, image_size=32, hidden_layer="to_latent", projection_hidden_size=32, num_classes_K=64).cuda()
optimizer = torch.optim.Adam(learner.parameters(), lr=1e-3)
for _ in range(12):
    loss = learner(torch.randn(4, 3, 32, 32, device="cuda"))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    learner.update_moving_average()
