"""What a training needs of each GPU: memory by part, communication and time, before anything runs.

Everything here is arithmetic on numbers that the user gives, or that were read from a configuration or a model on the
meta device. No module imports PyTorch. Bytes are bytes, GB are 1e9 of them, and parameters are counted once where they
are shared.
"""
