"""Shortest times between NPUs, when links are otherwise idle."""

import heapq

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tacos.topology import Topology

UNREACHED = np.iinfo(np.int64).max


class Paths:
    """Shortest-path queries on a topology with a given cost of each link.

    Parameters
    ----------
    topology : Topology
        The network.
    costs : ndarray of int64, shape (links,)
        Time of each link in picoseconds, at least 1.
    """

    def __init__(self, topology: Topology, costs: NDArray[np.int64]) -> None:
        self._npus = topology.npus
        self._forward = _adjacency(topology.npus, topology.src, topology.dst, costs)
        self._backward = _adjacency(topology.npus, topology.dst, topology.src, costs)

    def times_from(self, sources: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the least time from the nearest of `sources` to each NPU.

        Returns
        -------
        ndarray of int64, shape (npus,)
            Picoseconds; UNREACHED where no path leads.
        """
        return _dijkstra(*self._forward, np.asarray(sources, dtype=np.int64))

    def times_to(self, target: int) -> NDArray[np.int64]:
        """Return the least time from each NPU to `target`, like `times_from`."""
        return _dijkstra(*self._backward, np.array([target]))


def _adjacency(
    npus: int, tail: NDArray[np.int32], head: NDArray[np.int32], costs: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Group links by `tail`: first position of each NPU's group, then heads and costs."""
    order = np.argsort(tail, kind="stable")
    first = np.concatenate(([0], np.cumsum(np.bincount(tail, minlength=npus)))).astype(np.int64)
    return first, head[order], costs[order]


@njit(cache=True)
def _dijkstra(first, head, cost, sources):  # type: ignore[no-untyped-def]
    time = np.full(len(first) - 1, UNREACHED)
    queue = [(np.int64(0), np.int64(source)) for source in sources]
    for source in sources:
        time[source] = 0
    while queue:
        at, npu = heapq.heappop(queue)
        if at > time[npu]:
            continue  # a shorter way was found since
        for k in range(first[npu], first[npu + 1]):
            arrival = at + cost[k]
            if arrival < time[head[k]]:
                time[head[k]] = arrival
                heapq.heappush(queue, (arrival, np.int64(head[k])))
    return time
