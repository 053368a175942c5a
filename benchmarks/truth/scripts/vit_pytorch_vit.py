# requires: vit-pytorch==1.26.14
# packages: vit_pytorch
# kind: vision
import torch
from vit_pytorch import SimpleViT
from vit_pytorch.distill import DistillableViT, DistillWrapper
from vit_pytorch.vit_with_patch_dropout import ViT

sizes = {"image_size": 32, "patch_size": 8, "num_classes": 5, "dim": 32, "depth": 2, "heads": 2, "mlp_dim": 64}
teacher = SimpleViT(**sizes).cuda()
student = DistillableViT(**sizes).cuda()
dropping = ViT(**sizes, patch_dropout=0.25).cuda()
distiller = DistillWrapper(student=student, teacher=teacher, temperature=3, alpha=0.5, hard=False).cuda()
optimizer = torch.optim.Adam([*distiller.parameters(), *dropping.parameters()], lr=1e-3)
for _ in range(15):
    images, labels = torch.randn(4, 3, 32, 32, device="cuda"), torch.randint(0, 5, (4,), device="cuda")
    loss = distiller(images, labels) + torch.nn.functional.cross_entropy(dropping(images), labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
