"""What the paper prints in its abstract and its section on several questions for a context.

Source: K. Lin and others, "Sleep-time Compute: Beyond Inference Scaling at Test-time",
arXiv:2504.13171, April 2025.
"""

from perfmodel.serving import Precomputation

FACTOR = 5.0
"""Tokens of an answer while the user waits, without over with, at equal accuracy; "about"
(abstract)."""
SAVING = 2.5
"""How many times less a question costs on average, with several to a context (abstract)."""
QUERIES = 10
"""Questions for each context at that saving."""
WEIGHT = 10.0
"""Cost of a token while a user waits over one in idle time; the authors assume it (5.3)."""
EXAMPLE = Precomputation(ahead=8000, fresh=10_000, factor=FACTOR, weight=WEIGHT)
"""Round numbers of tokens that aren't from the paper, with its factor and weight."""
