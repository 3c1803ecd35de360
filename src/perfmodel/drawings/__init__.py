"""Drawings of mechanisms: parameters in, a `Scene` out, its numbers computed by perfmodel's models.

Every public name is listed in `__init__.pyi` and loaded when it is first used.
`perfmodel.live.drawing` shows them:

>>> from perfmodel import drawings, live
>>> still = live.drawing(lambda: drawings.amdahl_bars(0.1, 8), "Amdahl's law on 8 processors.",
...                      "Bars: the serial tenth stays, the rest is split over eight processors")
>>> still.text
'With 8 processors the speedup is 4.71. The serial 10 % limit it to at most 10.'
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
