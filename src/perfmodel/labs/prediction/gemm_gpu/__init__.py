"""The lab "What a GPU's products teach a forest"."""
