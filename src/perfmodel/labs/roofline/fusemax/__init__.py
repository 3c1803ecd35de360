"""The lab "FuseMax": passes counted and run, the busiest unit, speedups, and the paper's inputs."""
