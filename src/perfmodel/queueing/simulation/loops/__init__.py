"""Loops for the networks met most often, each with the numbers of the general one, faster.

First come, first served stations in a row need no calendar: Lindley's recursion gives each
departure from the one before. `choice` tells which loop a plan can take; the general one takes what
is left.
"""
