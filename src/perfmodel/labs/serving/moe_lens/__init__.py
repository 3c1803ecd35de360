"""The lab "How much memory does a full GPU need? (MoE-Lens)".

`link` is the model, `inputs` the paper's numbers, `claims` what the ledger holds against it,
`tasks` what the reader does.
"""
