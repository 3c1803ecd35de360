"""The lab "Few runs of a system with many settings".

`corners` picks the 2^4 runs, `contest` lets searches meet on the recorded table, `cube` draws a
design, `record` made the table, `claims` says that nothing is held against print, `tasks` is what
the reader does.
"""
