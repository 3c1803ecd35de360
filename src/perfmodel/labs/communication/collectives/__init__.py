"""The lab "Collectives: ring or tree?".

`nccl` are tables of measured collectives, which `tables` reads; `protocols` is a whitebox of them
with one break, `contest` holds it against the other families on data held out. `steps` draws a
schedule as it runs, `processes` runs it between processes of this machine.
"""
