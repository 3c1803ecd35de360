"""The lab "How many SSDs does training need? (Fuyou, 2024)".

`link` is the model, `inputs` the paper's numbers, `claims` what the ledger holds against it,
`tasks` what the reader does.
"""
