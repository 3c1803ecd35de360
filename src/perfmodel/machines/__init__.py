"""Hardware constants with their sources, and the reader's own machine.

Every figure names its unit, where it comes from and whether it could be verified. Data sheets are
ceilings to compare a measurement with, not predictions. `this_machine()` is what labs use: the
machine that the reader measured and saved, or else a small labelled example machine.

>>> from perfmodel import machines
>>> h200 = machines.get("h200-sxm-141gb")
>>> h200.memory_bandwidth
4800000000000.0
>>> h200.peak("bf16") / h200.memory_bandwidth > 200
True
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
