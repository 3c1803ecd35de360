"""Passes of a whole model whose weights are streamed to the device each time."""
