"""The lab "Which way to split a model over eight GPUs? (APEX)".

`link` is the model, `inputs` the paper's numbers, `claims` what the ledger holds against it,
`tasks` what the reader does.
"""
