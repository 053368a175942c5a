# requires: torchattacks==3.5.1
# packages: torchattacks
# kind: vision
import torch
import torchattacks

model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3, stride=2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 49, 5)
).cuda()
strong, fast = torchattacks.PGD(model, steps=3), torchattacks.FGSM(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss_of = torch.nn.CrossEntropyLoss()
for _ in range(15):
    images, labels = torch.rand(4, 3, 16, 16), torch.randint(0, 5, (4,))
    adversarial = torch.cat([strong(images, labels), fast(images, labels)]).cuda()
    loss = loss_of(model(adversarial), labels.repeat(2).cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
