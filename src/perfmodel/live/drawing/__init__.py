"""Drawings of mechanisms: a small vocabulary of shapes, scenes made of them, and the call to show.

A drawing function takes a mechanism's parameters, has perfmodel's models compute what happens, and
returns a `Scene`; `drawing` shows it, stepping with a slider where time matters. Coordinates are
units of a sheet 360 wide, one CSS pixel each on a phone, y counted downwards.
"""

from perfmodel.live.drawing.chart import Scale
from perfmodel.live.drawing.outlines import Area, Box, Circle
from perfmodel.live.drawing.scene import WIDTH, Scene
from perfmodel.live.drawing.shapes import Fill, Line, Point, Shape, Text
from perfmodel.live.drawing.show import drawing, sheet
from perfmodel.live.drawing.symbols import Cells, Queue, Server

__all__ = [
    "WIDTH",
    "Area",
    "Box",
    "Cells",
    "Circle",
    "Fill",
    "Line",
    "Point",
    "Queue",
    "Scale",
    "Scene",
    "Server",
    "Shape",
    "Text",
    "drawing",
    "sheet",
]
