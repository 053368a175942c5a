"""Fine-tuning of the image tower on a folder of labelled pictures:  python finetune_classifier.py pictures held_out"""

import argparse
import random
import time

import numpy as np
import torch
from torch import nn
from torch.autograd import Variable
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder

from caption.data import picture_transform
from caption.model import PictureClassifier

torch.autograd.set_detect_anomaly(True)


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True


def train(model, optimizer, scheduler, pictures, held_out, epochs):
    criterion = nn.CrossEntropyLoss()
    best = 0.0
    for epoch in range(epochs):
        loader = DataLoader(pictures, 64, shuffle=True, num_workers=8, pin_memory=True)
        total, correct = 0.0, 0
        for images, labels in loader:
            images = Variable(images.cuda(non_blocking=True))  #! TRN810
            labels = labels.cuda(non_blocking=True)
            start = time.perf_counter()
            scores = model(images)  #! TRN401 TRN406 TRN705
            loss = criterion(scores, labels)
            optimizer.zero_grad()
            loss.backward()
            scheduler.step()
            optimizer.step()
            seconds = time.perf_counter() - start
            total += loss.item()  #! TRN201
            if loss > 20:  #! TRN203
                print(f"the loss explodes after a step of {seconds:.3f} s")
            correct += (scores.detach().cpu().argmax(1) == labels.cpu()).sum()  #! TRN202
        print(f"epoch {epoch}: loss {total / len(loader):.3f}, {correct} right")
        model.eval()  #! TRN414
        hits = 0
        with torch.no_grad():
            for images, labels in held_out:
                hits += (model(images.cuda(non_blocking=True)).argmax(1) == labels.cuda(non_blocking=True)).sum()
        best = max(best, hits.item())
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures")
    parser.add_argument("held_out")
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()

    set_seed(0)
    pictures = ImageFolder(options.pictures, transform=picture_transform(224))
    held_out = DataLoader(  #! TRN103
        ImageFolder(options.held_out, transform=picture_transform(224)), 128, num_workers=4, pin_memory=True
    )
    model = nn.DataParallel(PictureClassifier(len(pictures.classes)).cuda())  #! TRN507
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-4, total_steps=20 * len(pictures) // 64)
    print(train(model, optimizer, scheduler, pictures, held_out, options.epochs))


if __name__ == "__main__":
    main()
