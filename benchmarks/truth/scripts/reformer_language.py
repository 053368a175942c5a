# requires: reformer-pytorch==1.4.4
# packages: reformer_pytorch
# kind: text
import torch
from reformer_pytorch import ReformerLM
from reformer_pytorch.generative_tools import TrainingWrapper

network = ReformerLM(num_tokens=64, dim=32, depth=2, max_seq_len=64, heads=2, bucket_size=8, n_hashes=2, causal=True)
model = TrainingWrapper(network, pad_value=0).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(12):
    loss = model(torch.randint(1, 64, (2, 65), device="cuda"), return_loss=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    optimizer.zero_grad()
