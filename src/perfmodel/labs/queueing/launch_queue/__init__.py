"""The lab "Launch queue: is it the CPU or the GPU?"."""
