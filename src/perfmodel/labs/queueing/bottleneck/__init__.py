"""The lab "What is the bottleneck? An exam case"."""
