from .machine import QUANTITIES as QUANTITIES
from .machine import Machine as Machine
from .machine import MachineFigure as MachineFigure
from .machine import measured_machine as measured_machine
from .registry import figures as figures
from .registry import get as get
from .registry import ids as ids
from .registry import shown as shown
from .registry import table as table
from .saved import EXAMPLE as EXAMPLE
from .saved import THIS as THIS
from .saved import folder as folder
from .saved import forget as forget
from .saved import save as save
from .saved import this_machine as this_machine

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
