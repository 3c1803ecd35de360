"""The lab "Grades for generated kernels (Godoy et al., 2023)".

`proficiency` is the rubric, `kernels` the six right programs, `planted` wrong ones, `properties`
the tests that tell them apart, `conjugate_gradient` the one that is right and late, `alias_trace`
draws why, `predicted` what the roofline says of all six.
"""
