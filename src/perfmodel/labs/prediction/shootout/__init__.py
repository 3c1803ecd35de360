"""The lab "Who wins where: every family on every data set"."""
