"""The lab "Two choices: sending jobs to a thousand servers"."""
