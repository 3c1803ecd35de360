"""What its authors publish of GEB-1.3B (Wu et al., arXiv 2406.09900, 2024)."""

from perfmodel.roofline.transformer import Decoder

GEB_1_3B = Decoder.uniform(24, 2048, 5632, 16, 4, 64_896, head_width=128)
"""Shapes of the released model (config.json at huggingface.co/GEB-AGI/geb-1.3b)."""
TRAINING_TOKENS = 550e9
"""Tokens of the training text (abstract)."""
