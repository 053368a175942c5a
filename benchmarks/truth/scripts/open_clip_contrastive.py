# requires: open_clip_torch==2.32.0
# packages: open_clip
# kind: metric and contrastive learning
import torch
from open_clip import ClipLoss
from open_clip.loss import SigLipLoss
from open_clip.model import CLIP

model = CLIP(
    embed_dim=16,
    vision_cfg={"image_size": 32, "layers": 1, "width": 32, "head_width": 16, "patch_size": 8, "patch_dropout": 0.3},
    text_cfg={"context_length": 16, "vocab_size": 64, "width": 32, "heads": 2, "layers": 1},
).cuda()
pairs, sigmoid = ClipLoss(), SigLipLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(12):
    images, texts = torch.randn(4, 3, 32, 32, device="cuda"), torch.randint(0, 64, (4, 16), device="cuda")
    image_features, text_features, scale = model(images, texts)
    loss = pairs(image_features, text_features, scale)
    loss = loss + sigmoid(image_features, text_features, scale, torch.zeros((), device="cuda"))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        model.logit_scale.clamp_(0, 4.6)
