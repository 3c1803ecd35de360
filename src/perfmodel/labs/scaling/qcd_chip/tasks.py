"""What the reader does: count faces, count what all tiles fetch, and split a chip for weather."""

from __future__ import annotations

from perfmodel.labs.scaling.qcd_chip.chip_area import Technology, optimum
from perfmodel.scaling import Stencil
from perfmodel.tasks import Mistake, Task

flop_per_word = Task(
    "Arithmetic for each word that a block exchanges",
    reference=lambda dimension, flops, face_words: flops / (2 * dimension * face_words),
    cases=[(4, 1320, 12), (3, 100, 2), (2, 5, 1)],
    mistakes=[
        Mistake(
            "one face in a direction",
            lambda dimension, flops, face_words: flops / (dimension * face_words),
            "A block has two faces in each dimension, one at either end.",
        ),
        Mistake(
            "one face in all",
            lambda dimension, flops, face_words: flops / face_words,
            "That is for a single face. How many faces has a cube? How many a hypercube?",
        ),
        Mistake(
            "corners",
            lambda dimension, flops, face_words: flops / (2**dimension * face_words),
            "A cube has 8 corners and 6 faces: it is faces that exchange.",
        ),
    ],
    hint="Equation (1): all arithmetic is flops times the volume, all exchange is the words of a "
    "face site times the surface. For a side of 1 both are easy to count.",
    right="This is c of (1), in flop/word. A weather code has less of it than QCD: it does less "
    "with each word that it fetches.",
    unit="flop/word",
)

words_fetched = Task(
    "Words that all tiles of a grid fetch",
    reference=lambda extent, side, dimension: 2 * dimension * extent**dimension / side,
    cases=[(12, 3, 4), (8, 2, 3), (12, 6, 2)],
    mistakes=[
        Mistake(
            "one tile",
            lambda extent, side, dimension: 2 * dimension * side ** (dimension - 1),
            "That is what a single tile fetches. How many tiles has the grid?",
        ),
        Mistake(
            "each face once",
            lambda extent, side, dimension: dimension * extent**dimension / side,
            "You let two tiles share the words of a face. Each needs those of the other.",
        ),
        Mistake(
            "tiles in a row",
            lambda extent, side, dimension: 2 * dimension * side ** (dimension - 1) * extent / side,
            "There are extent / side tiles in each dimension: raise that to the dimension.",
        ),
        Mistake(
            "volume fetched",
            lambda extent, side, dimension: 2 * dimension * extent**dimension,
            "You let every site fetch all its neighbours. Most of them are in its own tile.",
        ),
    ],
    hint="A face has side to the power dimension - 1 sites, a tile 2 faces in each dimension, "
    "and the grid (extent / side) to the power dimension tiles.",
    right="It is proportional to 1/side: each site of the grid fetches 2d/side words, however "
    "large the grid is.",
    unit="words",
)

weather_share = Task(
    "The chip for a weather code",
    reference=lambda: optimum(Technology(area=1e6), Stencil(3, 100, 2, 10)).memory_share,
    mistakes=[
        Mistake(
            "QCD",
            lambda: optimum(Technology(area=1e6)).memory_share,
            "That is QCD's share, or near it. Give `optimum` the `Stencil` of the weather code, of "
            "three dimensions.",
        ),
        Mistake(
            "side",
            lambda: optimum(Technology(area=1e6), Stencil(3, 100, 2, 10)).side,
            "That is the block's side in sites. Asked for is `memory_share`.",
        ),
        Mistake(
            "share of the units",
            lambda: 1 - optimum(Technology(area=1e6), Stencil(3, 100, 2, 10)).memory_share,
            "That is the share of the functional units.",
        ),
    ],
    hint="`chip_area.optimum(chip, Stencil(dimension, flops_per_site, face_words, "
    "words_per_site))` with the chip of the cell above.",
    right="Less than for QCD: a site takes 10 words and not 192, and in three dimensions a side "
    "twice as long costs 8 times the memory and not 16.",
    tolerance=0.01,
)
