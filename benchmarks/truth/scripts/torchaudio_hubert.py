# requires: torchaudio==2.11.1
# packages: torchaudio
# kind: speech and audio
import torch
from torchaudio.models import hubert_pretrain_model

model = hubert_pretrain_model(
    extractor_mode="group_norm",
    extractor_conv_layer_config=[(16, 10, 5), (16, 3, 2), (16, 3, 2)],
    extractor_conv_bias=False,
    encoder_embed_dim=32,
    encoder_projection_dropout=0.1,
    encoder_pos_conv_kernel=8,
    encoder_pos_conv_groups=2,
    encoder_num_layers=2,
    encoder_num_heads=2,
    encoder_attention_dropout=0.1,
    encoder_ff_interm_features=32,
    encoder_ff_interm_dropout=0.0,
    encoder_dropout=0.1,
    encoder_layer_norm_first=False,
    encoder_layer_drop=0.05,
    mask_prob=0.5,
    mask_selection="static",
    mask_other=0.0,
    mask_length=4,
    no_mask_overlap=False,
    mask_min_space=1,
    mask_channel_prob=0.0,
    mask_channel_selection="static",
    mask_channel_other=0.0,
    mask_channel_length=4,
    no_mask_channel_overlap=False,
    mask_channel_min_space=1,
    skip_masked=False,
    skip_nomask=False,
    num_classes=20,
    final_dim=16,
    feature_grad_mult=0.1,
).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(12):
    waves, lengths = torch.randn(2, 1200, device="cuda"), torch.tensor([1200, 1000], device="cuda")
    masked, unmasked, penalty = model(waves, torch.randint(0, 20, (2, 59), device="cuda"), lengths)
    loss = sum(each.sub(each[..., :1]).square().mean() for each in (masked, unmasked)) + penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
