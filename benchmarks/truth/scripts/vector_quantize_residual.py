# requires: vector-quantize-pytorch==1.32.0
# packages: vector_quantize_pytorch
# kind: generative
import torch
from vector_quantize_pytorch import ResidualVQ

model = ResidualVQ(dim=16, num_quantizers=2, codebook_size=32, kmeans_init=True, threshold_ema_dead_code=2).cuda()
encoder = torch.nn.Linear(16, 16).cuda()
optimizer = torch.optim.Adam(encoder.parameters())
for _ in range(15):
    quantized, indices, losses = model(encoder(torch.randn(2, 32, 16, device="cuda")))
    (quantized.mean() + losses.sum()).backward()
    optimizer.step()
    optimizer.zero_grad()
