"""The lab "What does it cost to throw data away?": a trigger as a graph of rates and energies.

`dataflow` sweeps the graph, `designs` makes the paper's, `wall_time` fits what the last trigger
costs, `selection` says how well it selects; `cascade` is the part that runs on a reader's machine.
"""
