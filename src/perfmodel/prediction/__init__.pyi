from .architectures.cell_timing import latencies_here as latencies_here
from .architectures.device_latency import Latencies as Latencies
from .architectures.metaqnn import NetLayer as NetLayer, ShapedLayer as ShapedLayer
from .architectures.search_space import (
    SPACES as SPACES,
    SearchSpace as SearchSpace,
    one_hot as one_hot,
    used_counts as used_counts,
)
from .arena.challenge import Challenge as Challenge
from .arena.contest import (
    FAMILIES as FAMILIES,
    Contestant as Contestant,
    Estimator as Estimator,
    compete as compete,
)
from .arena.dataset import Dataset as Dataset, LeakError as LeakError, repeat_noise as repeat_noise
from .arena.estimators import (
    Columns as Columns,
    Formula as Formula,
    LogFeatures as LogFeatures,
    Priced as Priced,
)
from .arena.intervals import group_interval as group_interval
from .arena.metrics import (
    coverage as coverage,
    log_error as log_error,
    mape as mape,
    mean_interval as mean_interval,
    median_ape as median_ape,
    r2 as r2,
    spearman as spearman,
)
from .arena.mixtures import (
    Bounded as Bounded,
    Corrected as Corrected,
    Residual as Residual,
    WithModel as WithModel,
)
from .arena.model_families import family_contestants as family_contestants
from .arena.ranking import (
    kendall as kendall,
    ndcg as ndcg,
    regret as regret,
    top_indices as top_indices,
)
from .arena.rescaling import fitted_line as fitted_line, match_moments as match_moments
from .arena.splits import (
    Split as Split,
    few_shot_split as few_shot_split,
    larger_split as larger_split,
    shuffle_split as shuffle_split,
    unseen_split as unseen_split,
)
from .arena.standings import standings as standings
from .arena.transfer import Labelled as Labelled, held_out as held_out, transfer as transfer
from .arena.tuning import Tuned as Tuned
from .nets.learners import (
    AttentionPool as AttentionPool,
    Mlp as Mlp,
    NeedsJaxError as NeedsJaxError,
    jax_installed as jax_installed,
)
from .own_data.contest import OwnContest as OwnContest, own_contest as own_contest
