"""What a trainer of trl calls on its way to the loss, in each step."""

import torch
from trl import DPOTrainer


class Preferring(DPOTrainer):
    def get_batch_loss_metrics(self, model, batch, train_eval="train"):
        return self.measured(model, batch)

    def measured(self, model, batch):
        chosen, rejected = self.concatenated_forward(model, batch)
        losses = -torch.nn.functional.logsigmoid(chosen - rejected)
        metrics = {"chosen": chosen.detach().cpu().mean()}  #! TRN202
        return losses.mean(), metrics

    def concatenated_forward(self, model, batch):
        logits = model(batch["input_ids"]).logits
        return logits.chunk(2)

    def show(self, batch):
        return self.model(batch["input_ids"]).logits.cpu()
