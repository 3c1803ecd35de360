"""What all event simulations stand on: a state of named fields, one heap, one compiler.

A loop is a function `loop(plan, state) -> bool` in the part of Python that numba compiles. Plan and
state are bundles of `fields`; short runs play it as plain Python over lists, long ones as machine
code over arrays (`object_files`), with the same numbers to the last bit.
"""
