# requires: timm==1.0.31
# packages: timm
# kind: vision
import timm
import torch
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.utils import AverageMeter, ModelEmaV3, NativeScaler, accuracy

model = timm.create_model("resnet10t", num_classes=10).cuda()
average = ModelEmaV3(model, decay=0.99)
optimizer = create_optimizer_v2(model, opt="lamb", lr=1e-3)
mixup, loss_of, scaler, meter = Mixup(num_classes=10), SoftTargetCrossEntropy(), NativeScaler(), AverageMeter()
for step in range(12):
    images, labels = torch.randn(4, 3, 64, 64).cuda(), torch.randint(0, 10, (4,)).cuda()
    mixed, targets = mixup(images, labels)
    output = model(mixed)
    loss = loss_of(output, targets)
    optimizer.zero_grad()
    scaler(loss, optimizer, clip_grad=1.0, parameters=model.parameters())
    average.update(model, step=step)
    meter.update(accuracy(output, labels)[0].item())
