# requires: x-clip==0.14.4
# packages: x_clip
# kind: metric and contrastive learning
import torch
from x_clip import CLIP

model = CLIP(
    dim_text=32,
    dim_image=32,
    dim_latent=16,
    num_text_tokens=64,
    text_enc_depth=1,
    text_seq_len=16,
    text_heads=2,
    visual_enc_depth=1,
    visual_image_size=32,
    visual_patch_size=8,
    visual_heads=2,
    visual_patch_dropout=0.5,
    use_all_token_embeds=True,
    decoupled_contrastive_learning=True,
    extra_latent_projection=True,
    use_visual_ssl=True,
    use_mlm=True,
).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(12):
    texts, images = torch.randint(1, 64, (4, 16), device="cuda"), torch.randn(4, 3, 32, 32, device="cuda")
    loss = model(texts, images, return_loss=True, freeze_image_encoder=False)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
