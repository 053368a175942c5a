# requires: torchmetrics==1.9.0
# packages: torchmetrics
# kind: losses and metrics
import torch
import torchmetrics as tm

model = torch.nn.Linear(8, 5).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
metrics = tm.MetricCollection(
    {
        "accuracy": tm.Accuracy("multiclass", num_classes=5),
        "f1": tm.F1Score("multiclass", num_classes=5),
        "auroc": tm.AUROC("multiclass", num_classes=5),
        "calibration": tm.CalibrationError("multiclass", num_classes=5),
    }
).cuda()
mean = tm.MeanMetric().cuda()
for _ in range(15):
    inputs, labels = torch.randn(16, 8, device="cuda"), torch.randint(0, 5, (16,), device="cuda")
    output = model(inputs)
    loss = torch.nn.functional.cross_entropy(output, labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    metrics(output.softmax(-1), labels)
    mean.update(loss.detach())
metrics.compute()
