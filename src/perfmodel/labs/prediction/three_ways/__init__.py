"""The lab "Three ways to predict a matrix product"."""
