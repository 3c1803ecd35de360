"""The lab "How large a batch before the slowest wait too long?".

`inputs` holds what the authors of Sarathi-Serve measured and printed, `step_fit` the four constants
of an iteration, `chat` runs of their chat with the time between tokens and `sentences` what is said
of them, `lengths` what the spread of answers does, `rivals` the other families of models,
`own_server` a server of threads on this machine and `own_verdict` what is said of it, `claims` the
rows of the ledger, `tasks` what the reader does.
"""
