"""The MCP server: what coding agents ask trainlint, over the Model Context Protocol.

Each tool is one command of trainlint in a process of its own (`commands.py` says with which words), within a limit of
time and of text (`running.py`). Only `serving.py` imports the SDK.
"""
