"""The lab "A scheduler without its model".

Two schedulers that have a model inside, each with it and without. `node_trial` lets applications
share an accelerator and `admission_rules` decides who may come in; `machines` and
`policy_search` look for FlexGen's policy. `admission_contest` and `policy_contest` say what each
loses, `tasks` is what the reader does.
"""
