# requires: torchvision==0.28.0
# packages: torchvision
# kind: vision
import torch
from torchvision.models import MobileNetV2
from torchvision.models.detection import FasterRCNN
from torchvision.models.detection.rpn import AnchorGenerator
from torchvision.ops import MultiScaleRoIAlign

backbone = MobileNetV2(width_mult=0.25).features
backbone.out_channels = 1280
model = FasterRCNN(
    backbone,
    num_classes=3,
    min_size=64,
    max_size=64,
    rpn_anchor_generator=AnchorGenerator(((16, 32),), ((0.5, 1.0, 2.0),)),
    box_roi_pool=MultiScaleRoIAlign(["0"], output_size=3, sampling_ratio=2),
    rpn_pre_nms_top_n_train=50,
    rpn_post_nms_top_n_train=20,
).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.005, momentum=0.9)
for _ in range(12):
    images = [torch.rand(3, 64, 64, device="cuda") for _ in range(2)]
    corners = torch.rand(2, 3, 2, device="cuda") * 30
    boxes = torch.cat([corners, corners + 10 + torch.rand(2, 3, 2, device="cuda") * 20], -1)
    targets = [{"boxes": each, "labels": torch.randint(1, 3, (3,), device="cuda")} for each in boxes]
    losses = model(images, targets)
    loss = sum(losses.values())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
