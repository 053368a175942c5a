"""Reads of device values on the host: which are no defect, which belong to another rule."""
