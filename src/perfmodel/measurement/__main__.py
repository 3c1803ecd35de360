"""Measure this machine: `python -m perfmodel.measurement --help` says how."""

from perfmodel.measurement.cli import main

if __name__ == "__main__":
    main(prog_name="python -m perfmodel.measurement")
