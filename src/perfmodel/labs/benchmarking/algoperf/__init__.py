"""The lab "AlgoPerf: who trains fastest, and who else was in the table"."""
