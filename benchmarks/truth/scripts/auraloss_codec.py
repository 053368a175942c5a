# requires: auraloss==0.4.0
# packages: auraloss
# kind: speech and audio
import auraloss
import torch

encoder = torch.nn.Conv1d(1, 8, 16, stride=8).cuda()
decoder = torch.nn.ConvTranspose1d(8, 1, 16, stride=8).cuda()
spectral = auraloss.freq.MultiResolutionSTFTLoss(
    fft_sizes=[64, 128], hop_sizes=[16, 32], win_lengths=[64, 128], w_sc=1.0
).cuda()
timed = auraloss.time.SISDRLoss()
weighted = auraloss.perceptual.FIRFilter(filter_type="aw", fs=8000).cuda()
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for _ in range(12):
    sound = torch.randn(2, 1, 1024, device="cuda")
    output = decoder(torch.tanh(encoder(sound)))
    filtered, target = weighted(output, sound)
    loss = spectral(output, sound) + timed(output, sound) + (filtered - target).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
