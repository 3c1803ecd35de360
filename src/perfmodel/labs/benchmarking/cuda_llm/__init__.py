"""The lab "Kernels found by search, and how much faster they can be (Chen et al., 2025)".

`kernels` bounds what a search can find, `rounds` simulates the loop of rounds, `sieve` draws it,
`counts` ranks candidates by counting operations, `candidates` runs the loop on this machine,
`contest` compares searches on the recorded table, `claims` says why nothing is held, `tasks` is
what the reader does.
"""
