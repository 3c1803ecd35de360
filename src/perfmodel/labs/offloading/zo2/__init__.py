"""The lab "Can a slow link be hidden? (ZO2, 2025)".

`link` is the model, `inputs` the paper's numbers, `claims` what the ledger holds against it,
`tasks` what the reader does.
"""
