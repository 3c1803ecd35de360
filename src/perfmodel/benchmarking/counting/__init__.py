"""Counting what a program does, where a clock would time it: the same number in every run.

Executed bytecodes show the work of the interpreter, not the work of a library in C. Allocations see
memory and no work. Arithmetic operations see the work inside NumPy, too, and no movement of data.
None of them is a time: what a counted unit costs differs from program to program.
"""
