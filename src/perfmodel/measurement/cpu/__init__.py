"""Measuring this processor: peak FLOP/s, bandwidth, latency, matrix products and overheads.

`python -m perfmodel.measurement` runs all of it and saves the machine for the labs. Nothing is
imported here, so that a child process can be pinned before a library starts threads: take a
function from its module. `peak` and `latency` run machine code that `llvm` makes of the texts in
`kernels`; `stream` compiles with numba; `team` holds threads that are pinned, one a core.
"""
