"""Compile the event core ahead of its first long run: `python -m perfmodel.queueing.simulation`."""

from perfmodel.queueing.network import JobClass, Network, Station
from perfmodel.queueing.simulation.driver import run
from perfmodel.queueing.simulation.options import Options

if __name__ == "__main__":
    queue = Network([Station("web")], [JobClass("users", arrival_rate=0.5)], service=[1.0])
    run(queue, Options(), customers=100, seed=0, fast=True)
