"""The lab "When does it pay to think ahead? (Sleep-time compute)".

`inputs` holds the paper's numbers, `headlines` what two of them imply, `timeline` the drawing,
`popular` which questions to prepare for, `contexts`, `index_race` and `findings` the race on the
reader's machine and what it says, `claims` why the ledger holds nothing, `tasks` what the reader
does.
"""
