"""Which tensors hold a single number."""

from __future__ import annotations

import ast

import pytest

from tests.model.helpers import model_of
