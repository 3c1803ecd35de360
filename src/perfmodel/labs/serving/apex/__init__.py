"""The lab "Which way to split a model over eight GPUs? (APEX)".

`plans` counts memory, `exchange` has the measured all-reduce, `served` what vLLM reported, `replay`
predicts it with the iteration-level simulator, `fourths` asks what the choice of runs fitted to
decides, `products` compares families of step times on measured matrix products, `own_products` on
yours, `sentences` says how fit, plans and context come out.
"""
