"""The lab "MPIrigen: which prediction matches which label?"."""
