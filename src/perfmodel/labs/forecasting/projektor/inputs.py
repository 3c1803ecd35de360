"""The sources of digits, the sizes of pilots, and what examples cost to be taken for others."""

SOURCES = ((0, 1, 2, 3), (3, 4, 5, 6), (6, 7, 8, 9))
"""Digits that each source holds, in scikit-learn's pictures; none holds all."""
PILOTS = (60, 90)
"""Examples of a pilot run, small and large."""
TARGET = 300
"""Examples of the run that is forecast."""
EVALUATION = 400
"""Pictures that accuracy is the share of; no run learns from them."""
VALIDATION = 200
"""The first of those: the sample to which a mixture's distance is computed."""
LABEL_COST = 5.0
"""Of taking an example for one of another digit, in squared distances of pixels from 0 to 1."""
PILOTED = 0.45
"""Pilots are run of mixtures with less than this share of the second source."""
