"""A helper of the script beside it."""


def read_in_a_helper(tensor):
    return tensor.item()  # Tensor.item
