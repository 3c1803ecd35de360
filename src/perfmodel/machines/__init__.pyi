from .machine import (
    QUANTITIES as QUANTITIES,
    Machine as Machine,
    MachineFigure as MachineFigure,
    measured_machine as measured_machine,
)
from .registry import (
    figures as figures,
    get as get,
    ids as ids,
    match as match,
    shown as shown,
    table as table,
)
from .saved import (
    EXAMPLE as EXAMPLE,
    THIS as THIS,
    delete as delete,
    folder as folder,
    save as save,
    this_machine as this_machine,
)
