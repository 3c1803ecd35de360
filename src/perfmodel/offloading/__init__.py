"""Memory in tiers: what to keep where, what to fetch when, and which link bounds the step.

Every public name of the topic is listed in `__init__.pyi` and loaded when it is first used.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
