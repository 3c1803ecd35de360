"""Measuring a GPU: bandwidth, peaks, matrix products, launches and the link to the host.

`python -m perfmodel.measurement gpu` runs all of it through CuPy or PyTorch, whichever is there.
Without a GPU the methods can be tried on a simulated one (`simulated.SimulatedGpu`), whose true
figures are known; `perfmodel.machines` has published figures of real ones.
"""
