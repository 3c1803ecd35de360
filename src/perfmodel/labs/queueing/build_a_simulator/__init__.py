"""The lab "Build a simulator".

`tasks` are the parts that the reader writes and the whole simulator, `random_queue` its customers;
`event_steps` draws it event by event, `race` times it against the package's.
"""
