"""Predictions before and after a chapter: what a class hands in, and what it shows.

`exports` reads what students saved, `scores` makes two numbers a student of it, `effect` their
differences with intervals, `power` how many students the next class needs. `simulation` draws
classes whose truth is known; everything that is made of them says so.
"""
