# requires: neuraloperator==2.0.0
# packages: neuralop
# kind: molecules and physics
import torch
from neuralop import H1Loss, LpLoss, Trainer
from neuralop.models import FNO
from neuralop.training import AdamW


class Fields(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        field = torch.randn(1, 16, 16, generator=generator)
        return {"x": field, "y": field.cumsum(-1)}


loader = torch.utils.data.DataLoader(Fields(), batch_size=8)
model = FNO(n_modes=(6, 6), in_channels=1, out_channels=1, hidden_channels=8, projection_channel_ratio=2).to("cuda")
optimizer = AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=30)
trainer = Trainer(model=model, n_epochs=3, device="cuda", wandb_log=False, eval_interval=1, verbose=False)
trainer.train(
    train_loader=loader,
    test_loaders={16: loader},
    optimizer=optimizer,
    scheduler=scheduler,
    training_loss=H1Loss(d=2),
    eval_losses={"l2": LpLoss(d=2, p=2)},
)
