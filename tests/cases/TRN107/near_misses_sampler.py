"""A sampler for several processes, which some loader of the program uses."""

from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from torchvision.datasets import ImageFolder


def main(model, criterion, optimizer):
    model = DistributedDataParallel(model)
    loader = DataLoader(ImageFolder("train"), 64, shuffle=True, num_workers=8, pin_memory=True)
    for inputs, targets in loader:
        loss = criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return DistributedSampler(ImageFolder("train"))


main(*prepared())
