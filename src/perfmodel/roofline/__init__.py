"""Roofline and memory: what bounds a computation when data must move to be worked on."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
