"""Jobs divided between two different machines, one of which must fetch data that it doesn't hold.

A job runs on the host, where its data lies, or on the device, after its data came over a link
unless they are there already. Link, host and device work in parallel, each on one job at a time.
Fetches start at once and none is interrupted.

The best placement of the jobs is NP-hard already on two equal machines without a link (partition).
So lists are used: jobs in an order, each placed for good. Here are two lists, the optimum by trying
all placements, and a lower bound.

Given the jobs of the device, link and device are a flow shop of two machines, for which Johnson's
order is best (Johnson 1954). What is left to choose is one bit a job.
"""
