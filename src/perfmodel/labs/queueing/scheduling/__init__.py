"""The lab "Scheduling: faster without hardware"."""
