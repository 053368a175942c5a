# requires: pytorch-crf==0.7.2
# packages: torchcrf
# kind: text
import torch
from torchcrf import CRF

words, layer, crf = torch.nn.Embedding(50, 16).cuda(), torch.nn.Linear(16, 5).cuda(), CRF(5, batch_first=True).cuda()
optimizer = torch.optim.Adam([*words.parameters(), *layer.parameters(), *crf.parameters()], lr=1e-2)
for _ in range(14):
    tokens, tags = torch.randint(0, 50, (4, 10)).to("cuda"), torch.randint(0, 5, (4, 10)).to("cuda")
    lengths = torch.tensor([10, 8, 7, 5], device="cuda")
    mask = torch.arange(10, device="cuda")[None] < lengths[:, None]
    emissions = layer(words(tokens))
    loss = -crf(emissions, tags, mask=mask, reduction="mean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    crf.decode(emissions.detach(), mask=mask)
