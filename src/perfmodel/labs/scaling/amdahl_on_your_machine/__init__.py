"""The lab "Amdahl's law on your machine".

`job` is the small job that is made faster, `tasks` what the reader does.
"""
