"""Figures with sliders and predict-first prompts that live in JupyterLab and on the static page.

>>> import numpy as np
>>> from perfmodel import live
>>> def draw(share):
...     x = np.linspace(0, 10, 20)
...     return live.Plot(live.Axis("load", 0, 10, "1/s"), live.Axis("time", 0, 10, "s"),
...                      [live.Mark("line", x, share * x)],
...                      says=f"At load 10 the time is {share * 10:.0f} s.",
...                      values={"time at load 10 (s)": share * 10})
>>> fig = live.figure(draw, "A line.", "A straight line that rises with load",
...                   share=live.Slider("Slope", [0.1, 0.5, 1.0]))
>>> fig.text
'At load 10 the time is 5 s.'
"""

from perfmodel.live.controls import Options, Slider, Steps
from perfmodel.live.display import Display
from perfmodel.live.drawing import Scene, drawing
from perfmodel.live.figure import figure
from perfmodel.live.gallery import gallery
from perfmodel.live.plot import Axis, Mark, Note, Plot
from perfmodel.live.predict import choose, predict, predictions, question, quiz
from perfmodel.live.still import claims_table, picture, says, table
from perfmodel.live.worked import Problem, SolutionLine, WorkedExample, worked

__all__ = [
    "Axis",
    "Display",
    "Mark",
    "Note",
    "Options",
    "Plot",
    "Problem",
    "Scene",
    "Slider",
    "SolutionLine",
    "Steps",
    "WorkedExample",
    "choose",
    "claims_table",
    "drawing",
    "figure",
    "gallery",
    "picture",
    "predict",
    "predictions",
    "question",
    "quiz",
    "says",
    "table",
    "worked",
]
