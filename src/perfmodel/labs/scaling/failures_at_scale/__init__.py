"""The lab "How often should a long training save?": interruptions, saves and recoveries.

`tables` reads what others counted, `inputs` holds what they print; `job_size` is a published
formula for large clusters, `bunching` replaces the exponential distribution of the gaps.
"""
