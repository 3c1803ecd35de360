"""The lab "AlgoPerf: which optimiser trains fastest?"."""
