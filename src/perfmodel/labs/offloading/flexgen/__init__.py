"""The lab "Where do 325 GB go? (FlexGen, 2023)".

`link` is the model, `inputs` the paper's numbers, `claims` what the ledger holds against it,
`tasks` what the reader does.
"""
