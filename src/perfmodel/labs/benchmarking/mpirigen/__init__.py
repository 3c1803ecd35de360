"""The lab "MPIrigen: who matched whom".

`calls` are located calls and how they are read, `scoring` the authors' scores and a one-to-one
matching, `matching` its drawing, `programs` made-up programs and predictors, `released` scores a
file of the authors. `pipes` runs a broadcast between processes, `tree` draws it.
"""
