"""The data sets of the contest: a module a kind, a function a data set, each with its entries."""
