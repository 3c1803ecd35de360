"""The lab "Autoscaling: as many servers as the next minutes need"."""
