"""The public names of the topic prediction, by module."""

from .architectures.cell_timing import latencies_here as latencies_here
from .architectures.device_latency import Latencies as Latencies
from .architectures.metaqnn import NetLayer as NetLayer
from .architectures.metaqnn import ShapedLayer as ShapedLayer
from .architectures.search_space import SPACES as SPACES
from .architectures.search_space import SearchSpace as SearchSpace
from .architectures.search_space import one_hot as one_hot
from .architectures.search_space import used_counts as used_counts
from .arena.contest import FAMILIES as FAMILIES
from .arena.contest import Contestant as Contestant
from .arena.contest import Estimator as Estimator
from .arena.contest import compete as compete
from .arena.contest import leaderboard as leaderboard
from .arena.contest import winners as winners
from .arena.dataset import Dataset as Dataset
from .arena.dataset import LeakError as LeakError
from .arena.dataset import repeat_noise as repeat_noise
from .arena.estimators import Bounded as Bounded
from .arena.estimators import Columns as Columns
from .arena.estimators import Corrected as Corrected
from .arena.estimators import Formula as Formula
from .arena.estimators import LogFeatures as LogFeatures
from .arena.estimators import Priced as Priced
from .arena.estimators import Residual as Residual
from .arena.estimators import WithModel as WithModel
from .arena.metrics import coverage as coverage
from .arena.metrics import log_error as log_error
from .arena.metrics import mape as mape
from .arena.metrics import mean_interval as mean_interval
from .arena.metrics import median_ape as median_ape
from .arena.metrics import r2 as r2
from .arena.metrics import spearman as spearman
from .arena.ranking import kendall as kendall
from .arena.ranking import ndcg as ndcg
from .arena.ranking import regret as regret
from .arena.ranking import top_overlap as top_overlap
from .arena.ranking import top_places as top_places
from .arena.rescaling import fitted_line as fitted_line
from .arena.rescaling import match_moments as match_moments
from .arena.splits import Split as Split
from .arena.splits import few_shot_split as few_shot_split
from .arena.splits import larger_split as larger_split
from .arena.splits import shuffle_split as shuffle_split
from .arena.splits import unseen_split as unseen_split
from .arena.transfer import Labelled as Labelled
from .arena.transfer import held_out as held_out
from .arena.transfer import transfer as transfer
from .nets.learners import AttentionPool as AttentionPool
from .nets.learners import ConvText as ConvText
from .nets.learners import Mlp as Mlp
from .nets.learners import NeedsJaxError as NeedsJaxError
from .nets.learners import jax_installed as jax_installed

__all__ = [
    "FAMILIES",
    "SPACES",
    "AttentionPool",
    "Bounded",
    "Columns",
    "Contestant",
    "ConvText",
    "Corrected",
    "Dataset",
    "Estimator",
    "Formula",
    "Labelled",
    "Latencies",
    "LeakError",
    "LogFeatures",
    "Mlp",
    "NeedsJaxError",
    "NetLayer",
    "Priced",
    "Residual",
    "SearchSpace",
    "ShapedLayer",
    "Split",
    "WithModel",
    "compete",
    "coverage",
    "few_shot_split",
    "fitted_line",
    "held_out",
    "jax_installed",
    "kendall",
    "larger_split",
    "latencies_here",
    "leaderboard",
    "log_error",
    "mape",
    "match_moments",
    "mean_interval",
    "median_ape",
    "ndcg",
    "one_hot",
    "r2",
    "regret",
    "repeat_noise",
    "shuffle_split",
    "spearman",
    "top_overlap",
    "top_places",
    "transfer",
    "unseen_split",
    "used_counts",
    "winners",
]
