"""Roofline and memory: what bounds a computation when data must move to be worked on.

What draws is in `perfmodel.roofline.plot`, so that no name here loads anything of notebooks.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
