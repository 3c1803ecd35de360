"""Data sets that this project measures for the contest of families, models written beforehand.

`stable_sorts`, `sparse_products` and `loopback_service` each hold two whitebox models, the features
that learners see, and the runs. Their structure was written, tested and committed before the first
run was recorded, and is not changed afterwards: a model that turns out bad stays as it is.
"""
