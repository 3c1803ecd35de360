"""Two statements of MPress's abstract held against the model; numbers it prints none."""

from perfmodel.labs.offloading.mpress.inputs import servers
from perfmodel.labs.offloading.mpress.stages import PipelineJob
from perfmodel.labs.offloading.mpress.swapping import most_layers, swap_plan
from perfmodel.ledger import Sheet, Trend, trend


def _sizes() -> Trend:
    """Return whether all ways together fit a larger model than computing again, on both servers."""
    both = {
        name: (most_layers(server, "all"), most_layers(server, "compute again"))
        for name, server in servers().items()
    }
    said = "; ".join(f"{name}: {ours} v {again} layers" for name, (ours, again) in both.items())
    return Trend(all(ours > again for ours, again in both.values()), said)


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
        trend(
            "largest model with all ways, against computing again alone",
            "trains larger models than the recomputation baseline",
            "abstract",
            _sizes,
            miss="In our model weights, gradients and optimizer states never leave their GPU, and "
            "computing again leaves 1/37 of a micro-batch's activations: both policies end where "
            "states and one micro-batch fill a GPU. The paper's models, and whether its system "
            "moves states as well, could not be read.",
        ),
    ],
    unheld="Of the paper the abstract alone could be read, which prints no number. That throughput "
    "is above that of ZeRO at equal memory is not held, as ZeRO isn't modelled. Gains in other "
    "people's notes contradict the abstract about the servers and are left out. Model sizes, "
    "micro-batches and the planner's rules are not in it; those of this lab are its own.",
)
