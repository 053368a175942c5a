# requires: kornia==0.9.0
# packages: kornia
# kind: vision
import kornia.augmentation as augment
import torch
from kornia.losses import FocalLoss

pipeline = augment.AugmentationSequential(
    augment.RandomAffine(degrees=20.0, translate=(0.1, 0.1), p=0.7),
    augment.RandomHorizontalFlip(p=0.5),
    augment.ColorJiggle(0.2, 0.2, 0.2, 0.1, p=0.8),
    augment.RandomErasing(p=0.5),
    augment.RandomGaussianBlur((3, 3), (0.1, 2.0), p=0.5),
    data_keys=["input"],
).cuda()
mix = augment.RandomMixUpV2(p=1.0, data_keys=["input", "class"])
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3, stride=2),
    torch.nn.ReLU(),
    torch.nn.AdaptiveAvgPool2d(1),
    torch.nn.Flatten(),
    torch.nn.Linear(8, 5),
).cuda()
loss_of = FocalLoss(alpha=0.5, gamma=2.0, reduction="mean")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(15):
    images, labels = torch.rand(4, 3, 32, 32).to("cuda"), torch.randint(0, 5, (4,)).to("cuda")
    with torch.no_grad():
        images = pipeline(images)
        images, mixed = mix(images, labels)
    output = model(images)
    loss = loss_of(output, mixed[:, 0].long()) + loss_of(output, mixed[:, 1].long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
