"""Small tasks between the cells of a lab: the reader writes a line, and a check answers at once.

A lab declares its tasks in its module `tasks`, each with a reference, the cases on which a
student's function is tried, and the usual mistakes with what a teacher would say to each. `Task`
asks for a value or a function, `Faster` for the same results in less time. `progress` says which
tasks this reader has finished.

>>> mean_wait = Task(
...     "Mean wait of an M/M/1 queue",
...     reference=lambda utilization, service_time: service_time * utilization / (1 - utilization),
...     cases=[(0.5, 1.0), (0.9, 0.01)],
...     mistakes=[Mistake("response time", lambda u, s: s / (1 - u), "That counts the service.")],
...     unit="s",
... )
>>> mean_wait.check(lambda utilization, service_time: ...).text
'Not done yet: Mean wait of an M/M/1 queue.'
>>> mean_wait.check(lambda utilization, service_time: service_time / (1 - utilization)).text
'Not right yet: Mean wait of an M/M/1 queue. That counts the service.'
"""

from perfmodel.answers.mistakes import Mistake, mistakes
from perfmodel.tasks.faster import Faster
from perfmodel.tasks.record import LabProgress, progress, progress_table
from perfmodel.tasks.task import Task

__all__ = ["Faster", "LabProgress", "Mistake", "Task", "mistakes", "progress", "progress_table"]
