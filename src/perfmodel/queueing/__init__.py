"""Queueing: why it is slow at 70 % utilization, how many servers, and which scheduler helps.

All public names can be imported from here, and none is loaded before it is used. They live in six
rooms: `operational_analysis` needs no assumption on distributions; `distributions` has the laws of
job sizes and of times between arrivals; `station` solves one queue, `fleet` many servers that share
the work, `network` stations that send each other jobs; `simulation` plays through what no formula
takes.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
