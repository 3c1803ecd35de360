"""The lab "A learner without its model".

Two learners that have a model inside, each with it and without. `congestion` trains controllers of
a shared link, whose reward has a square root in it or not. `tile_product`, `tile_times` and
`tile_cost` are a tiled product, its recorded times and a cost model of it; `tile_search` looks for
fast tiles with the model, with a learner, or with neither. `tasks` is what the reader does.
"""
