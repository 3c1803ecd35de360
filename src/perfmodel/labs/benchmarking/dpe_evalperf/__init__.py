"""The lab "EvalPerf: how efficient is the code that models write?"."""
