"""What is known, and what is assumed, of GEB-1.3B (Wu et al., arXiv 2406.09900, 2024)."""

from perfmodel.roofline.decoder import Decoder

ASSUMED = Decoder(24, 2048, 5632, 16, 4, 64_896)
"""Shapes that give the paper's 1.3 billion parameters. The paper's text as we have it does not
list them: an assumption, and any other can be put in its place."""
TRAINING_TOKENS = 550e9
"""Tokens of the training text (abstract)."""
