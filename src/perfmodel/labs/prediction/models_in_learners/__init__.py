"""The lab "A learner without its model".

Two learners that contain a model, each run with it and without it. `training` trains controllers of
a shared link, with and without a square root in their reward. `tiled_product` has a tiled product,
its cost model and its recorded times. `tile_search` looks for fast tiles with the model, with a
learner, or with neither. `tasks` holds the reader's tasks.
"""
