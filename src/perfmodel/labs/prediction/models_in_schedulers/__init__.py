"""The lab "A scheduler without its model".

Two schedulers that have a model inside, each with it and without. `admission_rules` lets
applications share an accelerator and decides who may come in; `policy_search` looks for FlexGen's
policy. `admission_contest` and `policy_contest` say what each
loses, `tasks` is what the reader does.
"""
