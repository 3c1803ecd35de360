"""The lab "One server, nine tools: which number do you quote?".

`recordings` holds what the tools printed and logged, `reconcile` compares it with their
definitions, `server` is the list of response times that all nine are asked about.
"""
