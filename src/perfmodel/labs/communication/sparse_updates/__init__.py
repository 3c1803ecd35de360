"""The lab "What moves least?": sparse gradients by ring, gather and parameter server.

`traffic` counts bytes by formula, `moves` by moving rows, `partitions` fits the time of a variable
cut into parts, and `chunks` measures it on the reader's machine.
"""
