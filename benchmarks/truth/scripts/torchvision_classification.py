# requires: torchvision==0.28.0
# packages: torchvision
# kind: vision
import torch
from torch.utils.data import DataLoader, default_collate
from torchvision import datasets, models
from torchvision.ops import sigmoid_focal_loss
from torchvision.transforms import v2

crop = v2.Compose(
    [
        v2.ToImage(),
        v2.RandomResizedCrop(32, antialias=True),
        v2.RandAugment(),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize([0.5, 0.5, 0.5], [0.2, 0.2, 0.2]),
    ]
)
mix = v2.RandomChoice([v2.MixUp(num_classes=10), v2.CutMix(num_classes=10)])
images = datasets.FakeData(64, (3, 40, 40), num_classes=10, transform=crop)
loader = DataLoader(images, batch_size=4, shuffle=True, collate_fn=lambda items: mix(*default_collate(items)))
model = models.resnet18(num_classes=10).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for inputs, targets in loader:
    output = model(inputs.to("cuda"))
    targets = targets.to("cuda")
    loss = torch.nn.functional.cross_entropy(output, targets) + sigmoid_focal_loss(output, targets, reduction="mean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
