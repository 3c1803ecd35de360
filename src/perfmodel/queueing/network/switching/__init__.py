"""Class switching: jobs that change class on their way, as a request that becomes a retry.

A class says what a job asks for and where it goes next; a chain is all classes that a job may come
to have. What solvers need, jobs that are counted and demands on stations, belongs to chains. Each
class has that share of its chain's time at a station which it has of the work there.

>>> shop = SwitchingNetwork(
...     [Station("web", discipline="PS")],
...     [JobClass("visit", arrival_rate=0.5), "order"],
...     service=[[0.4], [1.0]],
...     routing={("visit", "web"): {("visit", "web"): 0.5, ("order", "web"): 0.5}},
... )
>>> print(shop.visits.tolist(), solve_switching(shop).queue_length.round(4).tolist())
[[2.0], [1.0]] [[4.0], [5.0]]
"""

from perfmodel.queueing.network.elements import JobClass, Station
from perfmodel.queueing.network.switching.network import SwitchingNetwork, solve_switching

__all__ = ["JobClass", "Station", "SwitchingNetwork", "solve_switching"]
