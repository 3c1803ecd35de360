"""The lab "How large a batch before the slowest wait too long?".

`link` is the model, `inputs` the paper's numbers, `claims` what the ledger holds against it,
`tasks` what the reader does.
"""
