# requires: torchaudio==2.11.1
# packages: torchaudio
# kind: speech and audio
import torch
import torchaudio

features = torch.nn.Sequential(
    torchaudio.transforms.MelSpectrogram(8000, n_fft=128, hop_length=64, n_mels=16),
    torchaudio.transforms.AmplitudeToDB(top_db=80),
    torchaudio.transforms.FrequencyMasking(4),
    torchaudio.transforms.TimeMasking(8),
).cuda()
encoder = torchaudio.models.Conformer(16, num_heads=2, ffn_dim=32, num_layers=2, depthwise_conv_kernel_size=7).cuda()
head = torch.nn.Linear(16, 12).cuda()
optimizer = torch.optim.AdamW([*encoder.parameters(), *head.parameters()], lr=1e-3)
for _ in range(12):
    waves = torch.randn(3, 4000, device="cuda")
    frames = features(waves).transpose(1, 2)
    lengths = torch.tensor([60, 50, 63], device="cuda")
    output, output_lengths = encoder(frames, lengths)
    words, word_lengths = torch.randint(1, 12, (3, 8), device="cuda"), torch.tensor([8, 6, 5], device="cuda")
    chances = head(output).log_softmax(-1).transpose(0, 1)
    loss = torch.nn.functional.ctc_loss(chances, words, output_lengths, word_lengths, zero_infinity=True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
