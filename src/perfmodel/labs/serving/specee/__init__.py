"""The lab "When may a token leave early? (SpecEE)".

`link` is the model, `inputs` the paper's numbers, `claims` what the ledger holds against it,
`tasks` what the reader does.
"""
