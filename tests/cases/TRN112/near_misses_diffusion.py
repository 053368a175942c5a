"""The text encoder of a diffusion model reads one length."""

from diffusers import UNet2DConditionModel
from torch.utils.data import Dataset


class Pictures(Dataset):
    def __init__(self, prompts, tokenizer):
        self.prompts, self.tokenizer = prompts, tokenizer
        self.model = UNet2DConditionModel

    def __getitem__(self, index):
        length = self.tokenizer.model_max_length
        return self.tokenizer(self.prompts[index], truncation=True, padding="max_length", max_length=length).input_ids
