# requires: performer-pytorch==1.1.4
# packages: performer_pytorch
# kind: text
import torch
from performer_pytorch import PerformerLM
from performer_pytorch.autoregressive_wrapper import AutoregressiveWrapper

network = PerformerLM(
    num_tokens=64, max_seq_len=32, dim=32, depth=2, heads=2, causal=True, feature_redraw_interval=4, reversible=True
)
model = AutoregressiveWrapper(network).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(14):
    loss = model(torch.randint(0, 64, (2, 33), device="cuda"), return_loss=True)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
