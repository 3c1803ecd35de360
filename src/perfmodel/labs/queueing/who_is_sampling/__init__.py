"""The lab "Who is sampling? Averages that disagree and are all right"."""
