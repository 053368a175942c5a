"""Kept on the device on purpose, and loaded by the training process itself."""

from torch.utils.data import DataLoader, Dataset


class Sequences(Dataset):
    def __init__(self, data, length):
        self.data, self.length = data, length

    def __len__(self):
        return self.data.size(0) // self.length

    def __getitem__(self, index):
        return self.data[index : index + self.length].cuda()


def make_loader(data):
    return DataLoader(Sequences(data, 1024), batch_size=4, shuffle=True, num_workers=0)
