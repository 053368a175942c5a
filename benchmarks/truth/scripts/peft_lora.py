# requires: peft==0.21.2 transformers==5.24.0
# packages: peft
# kind: text
import torch
from peft import LoraConfig, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

base = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=32, n_embd=16, n_layer=2, n_head=2))
model = get_peft_model(base, LoraConfig(r=4, target_modules=["c_attn"], use_dora=True, fan_in_fan_out=True)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(15):
    tokens = torch.randint(0, 64, (4, 16), device="cuda")
    model(input_ids=tokens, labels=tokens).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
