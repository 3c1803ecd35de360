"""Worked examples of the chapters: two a topic, each with its usual mistakes.

A function of the numbers computes every line of a solution; the chapter shows three sets of numbers
by `perfmodel.live.worked`.
"""
