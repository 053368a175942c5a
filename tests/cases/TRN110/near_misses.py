"""Host tensors, devices that the data brings along, and code that no worker runs."""

import torch
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    def __init__(self, videos):
        self.videos = videos

    def __getitem__(self, index):
        frames = torch.as_tensor(self.videos[index], device=torch.device("cpu"))
        return mask(frames).to(torch.float32), frames.to("cpu")


def mask(frames):
    return torch.arange(len(frames), device=frames.device) > 0


class Weights:
    """No dataset: an index into what lies on the device."""

    def __init__(self, layers):
        self.layers = layers

    def get(self, name):
        return self.layers[name].cuda()


def collate(rows):
    return torch.nn.utils.rnn.pad_sequence(rows)


def train(model, optimizer, videos):
    loader = DataLoader(Frames(videos), 8, num_workers=4, pin_memory=True, collate_fn=collate)
    for frames in loader:
        loss = model(frames.to("cuda", non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
