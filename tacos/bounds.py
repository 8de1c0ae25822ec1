"""Lower bounds on the collective time, each with the reason why no schedule beats it."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tacos.paths import UNREACHED
from tacos.problem import Problem

NAMES = ("path", "send", "receive", "cut")

_WORK = 2**25
"""Elementary steps a bound may take; a larger problem has it look at fewer NPUs."""
_EXHAUSTIVE_NPUS = 14
"""Up to this many NPUs every cut is looked at."""


def lower_bounds(problem: Problem) -> dict[str, int]:
    """Bound the collective time from below.

    Returns
    -------
    dict of str to int
        Picoseconds by name; the greatest is the best.

        - ``path``: the longest of the shortest paths that chunks must travel.
        - ``send``: an NPU's own chunks leave one after another over its out-links, and the last to
          leave must still travel to the NPU farthest away.
        - ``receive``: chunks come to an NPU one after another over its in-links, and none before
          some chunk can have reached the source of the link.
        - ``cut``: the chunks that a set of NPUs lacks come one after another over the links that
          lead into the set.

    Notes
    -----
    ``cut`` looks at every set of up to 14 NPUs, and in larger topologies at the NPUs nearest to
    each NPU and at the rest. The work is limited: from about 2,000 NPUs on, ``path``, ``send`` and
    ``cut`` look only at some NPUs, evenly spread, which weakens but never falsifies them.
    """
    if problem.topology.npus == 1:
        return dict.fromkeys(NAMES, 0)
    own = np.bincount(problem.collective.source, minlength=problem.topology.npus)
    path, send = _path_and_send(problem, own)
    return dict(zip(NAMES, (path, send, _receive(problem, own), _cut(problem, own)), strict=True))


def _path_and_send(problem: Problem, own: NDArray[np.int64]) -> tuple[int, int]:
    topology = problem.topology
    by_source = np.argsort(topology.src, kind="stable")
    first = np.searchsorted(topology.src[by_source], np.arange(topology.npus + 1))
    head, costs = topology.dst[by_source], problem.costs[by_source]
    path = send = 0
    for target in _spread(topology.npus, topology.npus + topology.links):
        times = problem.paths.times_to(target)
        path = max(path, int(times[own > 0].max()))
        leaving = own.copy()
        leaving[target] = 0
        send = _slowest(first, times[head], costs, leaving, send)
    return path, send


def _receive(problem: Problem, own: NDArray[np.int64]) -> int:
    topology = problem.topology
    earliest = problem.paths.times_from(np.flatnonzero(own))
    lacking = problem.collective.chunks - own
    return int(_slowest(topology.in_start, earliest[topology.src], problem.costs, lacking, 0))


def _cut(problem: Problem, own: NDArray[np.int64]) -> int:
    topology = problem.topology
    class_costs, cost_class = np.unique(problem.costs, return_inverse=True)
    links = (topology.src, topology.dst, cost_class)
    if topology.npus <= _EXHAUSTIVE_NPUS:
        return int(_every_cut(*links, class_costs, own))
    best = 0
    by_source = np.argsort(topology.src, kind="stable")
    out_start = np.searchsorted(topology.src[by_source], np.arange(topology.npus + 1))
    for centre in _spread(topology.npus, topology.links + topology.npus * len(class_costs)):
        times = problem.paths.times_to(centre)
        nearest_first = np.argsort(times, kind="stable")
        args = (topology.in_start, out_start, by_source)
        best = _nested_cuts(nearest_first, *args, *links, class_costs, own, best)
    return int(best)


def _spread(npus: int, work_each: int) -> list[int]:
    """Choose as many NPUs as the work allows, evenly spread from the first to the last."""
    count = min(npus, max(2, _WORK // work_each))
    return sorted(set(np.linspace(0, npus - 1, count).astype(int).tolist()))


@njit(cache=True)
def _slowest(first, delay, cost, need, floor):  # type: ignore[no-untyped-def]
    """Return the least time by which every group's links have carried what it needs.

    Group g has links ``first[g]`` to ``first[g + 1] - 1``; one of delay d and cost c carries
    ``(T - d) // c`` chunks by time T. No result is below `floor`.
    """
    for group in range(len(first) - 1):
        links = slice(first[group], first[group + 1])
        if _carried(delay[links], cost[links], floor) >= need[group]:
            continue
        low, high = floor, UNREACHED  # carries too little, carries enough
        for k in range(first[group], first[group + 1]):
            if delay[k] < UNREACHED:
                high = min(high, delay[k] + need[group] * cost[k])
        while high - low > 1:
            middle = low + (high - low) // 2
            if _carried(delay[links], cost[links], middle) >= need[group]:
                high = middle
            else:
                low = middle
        floor = high
    return floor


@njit(cache=True)
def _carried(delay, cost, time):  # type: ignore[no-untyped-def]
    chunks = 0
    for k in range(len(cost)):
        if time > delay[k]:
            chunks += (time - delay[k]) // cost[k]
    return chunks


@njit(cache=True)
def _crossing_time(crossing, class_costs, need, floor):  # type: ignore[no-untyped-def]
    """Return the least time, not below `floor`, by which `need` chunks have crossed a cut.

    ``crossing[k]`` links of cost ``class_costs[k]`` lead over it, at least one in all.
    """
    if _crossed(crossing, class_costs, floor) >= need:
        return floor
    low, high = floor, UNREACHED
    for k in range(len(class_costs)):
        if crossing[k]:
            high = min(high, class_costs[k] * -(-need // crossing[k]))
    while high - low > 1:
        middle = low + (high - low) // 2
        if _crossed(crossing, class_costs, middle) >= need:
            high = middle
        else:
            low = middle
    return high


@njit(cache=True)
def _crossed(crossing, class_costs, time):  # type: ignore[no-untyped-def]
    chunks = 0
    for k in range(len(crossing)):
        chunks += crossing[k] * (time // class_costs[k])
    return chunks


@njit(cache=True)
def _every_cut(src, dst, cost_class, class_costs, own):  # type: ignore[no-untyped-def]
    npus, best = len(own), 0
    crossing = np.zeros(len(class_costs), dtype=np.int64)
    for inside in range(1, 2**npus - 1):
        need = 0
        for npu in range(npus):
            if not inside >> npu & 1:
                need += own[npu]
        if not need:
            continue
        crossing[:] = 0
        for link in range(len(src)):
            if inside >> dst[link] & 1 and not inside >> src[link] & 1:
                crossing[cost_class[link]] += 1
        best = _crossing_time(crossing, class_costs, need, best)
    return best


@njit(cache=True)
def _nested_cuts(
    order, in_start, out_start, by_source, src, dst, cost_class, class_costs, own, best
):  # type: ignore[no-untyped-def]
    """Bound by the cuts between the first n NPUs of `order` and the rest, for every n."""
    inside = np.zeros(len(order), dtype=np.bool_)
    entering = np.zeros(len(class_costs), dtype=np.int64)  # links into the set, by cost class
    leaving = np.zeros(len(class_costs), dtype=np.int64)
    held, total = 0, own.sum()  # chunks the set starts with, and all
    for npu in order[:-1]:
        inside[npu] = True
        held += own[npu]
        for link in range(in_start[npu], in_start[npu + 1]):
            if inside[src[link]]:
                leaving[cost_class[link]] -= 1
            else:
                entering[cost_class[link]] += 1
        for link in by_source[out_start[npu] : out_start[npu + 1]]:
            if inside[dst[link]]:
                entering[cost_class[link]] -= 1
            else:
                leaving[cost_class[link]] += 1
        if held < total:
            best = _crossing_time(entering, class_costs, total - held, best)
        if held:
            best = _crossing_time(leaving, class_costs, held, best)
    return best
