"""Queueing: why it is slow at 70 % utilization, how many servers, and which scheduler helps.

Nothing is imported here, so that `import perfmodel.queueing` costs nothing: take a model from the
module that is named after it. `operational` and `bounds` need no assumption on distributions;
`markovian`, `general`, `scheduling`, `priorities` and `matrix_geometric` solve one station,
`staffing` and `dispatching` many servers; `service` holds the laws of job sizes.
"""
