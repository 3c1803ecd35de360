"""Scaling laws: what more processors, more memory or other cores can and cannot buy.

Every public name of the topic is listed in `__init__.pyi` and loaded when it is first used: the
laws of parallel speedup (`laws`, `efficiency`), the serial fraction behind measured speedups
(`amdahl_fit`, measured by `speedup_measurement`), the Universal Scalability Law (`usl`), chips of
many cores (`multicore`, `heterogeneous`), how they fail (`failures`, `reliability`), and the
exchange of nearest-neighbour work (`stencil`).
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
