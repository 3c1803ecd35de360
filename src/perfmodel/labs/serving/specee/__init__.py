"""The lab "When may a token leave early? (SpecEE, 2025)".

`inputs` holds the paper's numbers, `logs` eighty measured prompts, `devices` and `schedules` what
they can and can't say, `cascade` a small net that leaves early on this machine, `findings` what
devices and net say in words, `token_chart` the drawing, `claims` what the ledger holds, `tasks`
what the reader does.
"""
