"""Loops for the networks met most often, each with the numbers of the general one, sooner.

A first come, first served station needs no calendar: Lindley's recursion gives each departure from
the one before. `choice` tells which loop a plan can take; the general one takes what is left.
"""
