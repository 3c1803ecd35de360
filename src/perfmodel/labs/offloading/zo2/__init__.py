"""The lab "Can a slow link be hidden? (ZO2, 2025)".

`zeroth_order` trains by forward passes in three orders of work; `hiding` is the step as a flow
shop, `gpu_memory` what stays on the GPU, `own_overlap` the reader's own two threads. `inputs` are
the project's numbers, `claims` what the ledger holds against it, `tasks` what the reader does.
"""
