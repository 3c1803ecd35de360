"""The lab "Layered services".

`site` is the service and its limits, `threads` its event simulation, `thread_bars` its drawing.
"""
