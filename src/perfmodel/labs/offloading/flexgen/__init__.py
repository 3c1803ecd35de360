"""The lab "Where do 325 GiB go? (FlexGen, 2023)".

`sizes`, `policy`, `cost` and `memory` are the model, `program` and `search` choose a policy by it,
`calibration` and `gpu_memory` mend it, `inputs` and `claims` hold it against what is printed.
"""
