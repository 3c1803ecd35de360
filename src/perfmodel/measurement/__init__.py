"""Measuring on your machine: what to measure, how often, and how sure you can be.

`timing` takes samples of one function, `child` repeats them in fresh processes, `statistics` says
what they can show, `energy` reads joules and `provenance` says where samples came from; `cpu` and
`gpu` measure what a processor can do, and `concurrency` has the law of bytes in flight.

A name is loaded when it is first used, and nothing before: a fresh child process must be pinned to
its cores before any library starts its threads.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
