"""Scripts that make the GPU the home of everything."""

import torch


def main(args):
    if torch.cuda.is_available() and args.cuda:
        torch.set_default_tensor_type("torch.cuda.FloatTensor")  #! TRN816
    else:
        torch.set_default_tensor_type("torch.FloatTensor")


def half(use_half):
    torch.set_default_tensor_type(torch.cuda.HalfTensor if use_half else torch.cuda.FloatTensor)  #! TRN816


if __name__ == "__main__":
    torch.set_default_tensor_type(torch.cuda.FloatTensor)  #! TRN816
    half(True)
