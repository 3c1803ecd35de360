"""Constants of the two-variable law as they are printed, and two models that share a budget."""

ROUNDED = {"E": 1.69, "A": 406.4, "B": 410.7, "alpha": 0.34, "beta": 0.28}
"""Hoffmann et al. 2022, equation 10, where the exponents have two digits only."""
UNROUNDED = {**ROUNDED, "alpha": 0.33917084, "beta": 0.2849083}
"""The same with the exponents that the fit found, as Besiroglu et al. 2024 compute with them."""
REPLICATED = {"E": 1.8172, "A": 482.01, "B": 2085.43, "alpha": 0.3478, "beta": 0.3658}
"""Besiroglu, Erdil, Barnett and You 2024, Table 1."""
CHINCHILLA = (70e9, 1.4e12)
"""Parameters and tokens; Hoffmann et al. 2022, Table 1."""
GOPHER = (280e9, 300e9)
"""The same of the larger model that it was compared with."""
BUDGET = 5.76e23
"""Floating-point operations of training either, about; Hoffmann et al. 2022, section 3."""
PUBLISHED_WIDTH = 0.455 - 0.454
"""From the 10th to the 90th percentile of the exponent a; Hoffmann et al. 2022, Table 2."""
