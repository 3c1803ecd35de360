"""The lab "Which tensor may live far away? (CXL allocation, 2025)".

`link` is the model, `inputs` the paper's numbers, `claims` what the ledger holds against it,
`tasks` what the reader does.
"""
