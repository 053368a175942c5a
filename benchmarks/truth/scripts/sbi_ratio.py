# requires: sbi==0.27.0
# packages: sbi
# kind: Bayesian
import torch
from sbi.inference import NRE
from sbi.utils import BoxUniform

prior = BoxUniform(-2 * torch.ones(3), 2 * torch.ones(3), device="cuda")
parameters = prior.sample((200,))
observed = parameters + 0.1 * torch.randn_like(parameters)
inference = NRE(prior=prior, classifier="mlp", device="cuda", show_progress_bars=False)
inference.append_simulations(parameters, observed)
inference.train(training_batch_size=32, max_num_epochs=6, validation_fraction=0.2)
