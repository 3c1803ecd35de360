"""Flow shops: jobs that all pass the same stages in one order, with limited room, and their order.

Loading, computing and storing blocks of a model is one: the links and the processor are its stages,
the blocks its jobs, and the buffers in fast memory its room.
"""
