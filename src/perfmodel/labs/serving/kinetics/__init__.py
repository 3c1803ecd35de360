"""The lab "A larger model, or a longer thought? (Kinetics)".

`link` is the model, `inputs` the paper's numbers, `claims` what the ledger holds against it,
`tasks` what the reader does.
"""
