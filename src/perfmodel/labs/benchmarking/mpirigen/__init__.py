"""The lab "MPIrigen: who matched whom".

`calls` are located calls and how they are read, `scoring` the authors' scores and a one-to-one
matching, `matching` its drawing, `programs` made-up programs and predictors, `released` scores a
file of the authors. `broadcast` has the cost of a send loop and of a tree, `tree` draws it, and
`pipes` runs it between processes.
"""
