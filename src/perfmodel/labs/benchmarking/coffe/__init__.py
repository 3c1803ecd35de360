"""The lab "Coffe: count instead of time (Peng et al., 2025)".

`programs` are what is counted and timed, `iron_law` and `repeats` the models, `granularity` checks
a printed share, `problems` holds the benchmark's own sizes.
"""
