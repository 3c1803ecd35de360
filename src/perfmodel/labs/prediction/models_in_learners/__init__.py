"""The lab "A learner without its model".

Two learners that have a model inside, each with it and without. `training` trains controllers of
a shared link, whose reward has a square root in it or not. `tile_times` has a tiled product, a cost
model of it and its recorded times; `tile_search` looks for fast tiles with the model, with a
learner, or with neither. `tasks` is what the reader does.
"""
