# requires: x-transformers==2.31.10
# packages: x_transformers
# kind: text
import torch
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

model = AutoregressiveWrapper(
    TransformerWrapper(
        num_tokens=64, max_seq_len=32, attn_layers=Decoder(dim=32, depth=2, heads=2, rotary_pos_emb=True)
    )
).cuda()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(15):
    loss = model(torch.randint(0, 64, (4, 33), device="cuda"))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
