"""A statement of MPress's abstract compared with the model; the abstract prints no number."""

from perfmodel.labs.offloading.mpress.inputs import servers
from perfmodel.labs.offloading.mpress.swapping import PipelineJob, most_layers, swap_plan
from perfmodel.ledger import Sheet, Trend, trend


def _overhead() -> Trend:
    """Return whether parking with peers costs less than computing again, where both are needed."""
    said, holds = [], []
    for name, server in servers().items():
        layers = most_layers(server, "peers")
        plans = {
            policy: swap_plan(PipelineJob().with_layers(layers), server, policy)
            for policy in ("nothing", "compute again", "peers")
        }
        again, peers = plans["compute again"], plans["peers"]
        if plans["nothing"] or again is None or peers is None:
            return Trend(False, f"{name}: no size that fits with both and with neither not")
        work = 3 * PipelineJob().with_layers(layers).forward(server.rate)
        more = [100 * (plan.period / work - 1) for plan in (peers, again)]
        said.append(f"{name}, {layers} layers: {more[0]:.0f} v {more[1]:.0f} % longer")
        holds.append(more[0] < more[1])
    return Trend(all(holds), "; ".join(said))


SHEET = Sheet(
    "Q. Zhou and others, 'MPress: democratizing billion-scale model training on multi-GPU servers "
    "via memory-saving inter-operator parallelism', HPCA 2023",
    [
        trend(
            "time that parking with peers adds, against computing again, at the largest model that "
            "peers alone make fit",
            "swapping to lightly loaded GPUs over fast links has low overhead",
            "abstract",
            _overhead,
        ),
    ],
    unheld="We could read only the paper's abstract, which has no number. All ways together train "
    "larger models than recomputation alone: that is no row, because a plan with more choices "
    "never needs more memory. Throughput above ZeRO's at equal memory is no row, because ZeRO "
    "isn't modelled. We don't know whether the paper's system moves weights and optimizer states; "
    "in our model they stay. Model sizes, micro-batches and the planner's rules are our own.",
)
