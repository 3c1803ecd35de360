"""The lab "A scheduler without its model".

Two schedulers that contain a model, each run with it and without it. `admission_rules` decides
which applications may share an accelerator; `policy_search` looks for FlexGen's policy.
`admission_contest` and `policy_contest` compute the losses. `tasks` holds the reader's tasks.
"""
