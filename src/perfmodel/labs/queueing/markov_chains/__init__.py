"""The lab "Markov chains: from a text to an answer"."""
