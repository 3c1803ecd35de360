"""The lab "Grades for generated kernels (Godoy et al., 2023)"."""
