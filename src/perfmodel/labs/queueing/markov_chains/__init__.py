"""The lab "Markov chains: from a text to an answer".

`disk_arrays` says how long a store of disks keeps its data, `two_stations` solves a loop of two
stations in three ways, `state_diagram` draws states and moves; `inputs` and `claims` are the
papers', `tasks` what the reader does.
"""
