"""The lab "Which tensor may live far away? (CXL allocation, 2025)".

`footprint` counts the tensors' bytes, `allocation` holds the allocators, `training_step` the times,
`implied` what the printed percentages ask for, `own_adam` measures an Adam step here.
"""
