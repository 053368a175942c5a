"""An evaluation inside another one, which is reported."""


def evaluate(model, val_loader, crop_loader):
    model.eval()
    total = 0.0
    for images in val_loader:
        images = images.cuda(non_blocking=True)
        total += model(images).mean().item()  #! TRN303
        for crops in crop_loader:
            total += model(crops.cuda(non_blocking=True)).mean().item()
    return total
