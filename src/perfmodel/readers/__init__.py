"""Files of measuring tools as arrays in SI units, with what their numbers are and aren't.

One module per family of tools. A reader returns a frozen dataclass with `traps`, sentences on what
the tool's numbers mean, and refuses what it can't read with an `UnreadableFileError` that names the
line and the cure. No reader guesses a unit.
"""
