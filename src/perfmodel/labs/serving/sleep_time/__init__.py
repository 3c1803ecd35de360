"""The lab "When does it pay to think ahead? (Sleep-time compute)".

`link` is the model, `inputs` the paper's numbers, `claims` what the ledger holds against it,
`tasks` what the reader does.
"""
