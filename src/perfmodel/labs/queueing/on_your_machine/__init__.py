"""The lab "On your machine: measure one load, predict another"."""
