# requires: piq==0.8.0
# packages: piq
# kind: losses and metrics
import piq
import torch

network = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 3, 3, padding=1), torch.nn.Sigmoid()
).cuda()
similarity, variation = piq.SSIMLoss(kernel_size=7, data_range=1.0), piq.TVLoss()
magnitude, saliency = piq.GMSDLoss(data_range=1.0), piq.VSILoss(data_range=1.0)
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
for _ in range(12):
    images = torch.rand(2, 3, 48, 48, device="cuda")
    output = network(images + 0.1 * torch.randn_like(images))
    loss = similarity(output, images) + 0.01 * variation(output) + magnitude(output, images) + saliency(output, images)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    piq.psnr(output.detach(), images, data_range=1.0)
