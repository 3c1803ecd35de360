"""The lab "EfficientLLM: a name, a unit and a scale".

`metrics` holds the study's metrics, `inputs` its tables, `scores` one number from several metrics.
`power_cycle` is a machine whose power is known, with the meters that read it, `sampled_trace` its
drawing. `footprint` measures memory and time on the reader's machine.
"""
