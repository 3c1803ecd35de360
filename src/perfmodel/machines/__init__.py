"""Hardware constants with their sources, and the reader's own machine beside them.

Every figure names its unit, where it comes from and whether it could be verified. Data sheets are
ceilings to hold a measurement against, not predictions. `this_machine()` is what labs use: the
machine that the reader measured and saved, or else a small labelled example machine.

>>> from perfmodel import machines
>>> h200 = machines.get("h200-sxm-141gb")
>>> h200.memory_bandwidth
4800000000000.0
>>> h200.peak("bf16") / h200.memory_bandwidth > 200
True
"""

from perfmodel.machines.machine import QUANTITIES, Machine, MachineFigure, measured_machine
from perfmodel.machines.registry import figures, get, ids, shown, table
from perfmodel.machines.saved import EXAMPLE, THIS, folder, forget, save, this_machine

__all__ = [
    "EXAMPLE",
    "QUANTITIES",
    "THIS",
    "Machine",
    "MachineFigure",
    "figures",
    "folder",
    "forget",
    "get",
    "ids",
    "measured_machine",
    "save",
    "shown",
    "table",
    "this_machine",
]
