"""The language server: what editors show of trainlint, over the Language Server Protocol.

One thread talks to the editor (`language_server.py`), the main thread judges (`judging.py`). What it finds goes out as
diagnostics, hovers and code actions, each made by a module of its own. Only this package imports pygls.
"""
