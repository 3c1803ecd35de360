"""The lab "What can a learner read in a program? A cost model for MLIR"."""
