"""Planted defects on a processor: does what the probe predicts come true?"""
