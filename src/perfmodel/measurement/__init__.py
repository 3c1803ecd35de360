"""Measuring on the machine at hand: what to measure, how often, and how sure one may be.

Nothing is imported here, so that a fresh child process can be pinned to its cores before any
library starts its threads: take a function from the module that is named after it. `timing` takes
the samples, `noise` says what disturbed them, `compare` and `resolution` decide whether two
programs differ, `significance` holds the classical tests, `child` repeats all of it in fresh
processes, `energy` reads joules, `store` keeps the samples and `provenance` where they came from.
"""
