"""Reads traces that somebody already has, and says what they show. Needs no PyTorch: the standard library reads them.

`read_trace` reads what `torch.profiler` writes (`export_chrome_trace`, `tensorboard_trace_handler`), `read_ranks` a
directory with one trace per rank; `judge` and `judge_ranks` say what is wrong with them. All times are in milliseconds.
"""
