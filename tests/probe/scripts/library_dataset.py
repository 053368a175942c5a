"""A dataset of an installed library reads each sample, and one of the user's own does so too."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

LIBRARY = """
class Pictures:
    def __init__(self, tensors):
        self.tensors = tensors
    def __len__(self):
        return len(self.tensors)
    def __getitem__(self, index):
        return torch.tensor(self.tensors[index].tolist())
"""
names = {"torch": torch}
exec(compile(LIBRARY, "/usr/lib/site-packages/pictures.py", "exec"), names)


class Own(Dataset):
    def __init__(self, pictures):
        self.pictures = pictures

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        picture = self.pictures[index]
        return picture, picture.sum().item()


model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for inputs, _ in DataLoader(Own(names["Pictures"](torch.randn(200, 4))), batch_size=4):
    optimizer.zero_grad()
    model(inputs).square().mean().backward()
    optimizer.step()
