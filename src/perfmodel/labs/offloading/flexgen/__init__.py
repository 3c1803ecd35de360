"""The lab "Where do 325 GiB go? (FlexGen, 2023)"."""
