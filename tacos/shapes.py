"""Topologies given by a formula."""

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from tacos.topology import Link, Topology, check_size


def mesh(
    name: str, dims: Sequence[int], bandwidth: Sequence[int], latency: Sequence[int]
) -> Topology:
    """Make a mesh: NPUs on a grid, linked both ways to the next in each dimension.

    NPU (x, y, z) has number ``x + dims[0] * (y + dims[1] * z)``: the first dimension varies
    fastest. A line is a mesh of one dimension, a binary hypercube one whose sizes are all 2.

    Parameters
    ----------
    name : str
        The topology's name.
    dims : sequence of int
        NPUs in each dimension, at least 1.
    bandwidth, latency : sequence of int
        Of the links of each dimension, in bytes per second and picoseconds.

    Raises
    ------
    InputError
        If there are too many NPUs or links.
    """
    return _grid(name, dims, bandwidth, latency, [False] * len(dims))


def torus(
    name: str,
    dims: Sequence[int],
    bandwidth: Sequence[int],
    latency: Sequence[int],
    doubled: bool = False,
) -> Topology:
    """Make a torus: a mesh whose last NPU in each dimension is linked with its first.

    In a dimension of size 2 the wrap-around would repeat the links between the pair. It is left
    out, so that such a pair has one link in each direction, unless `doubled` is set: then it has
    two. A ring is a torus of one dimension. For the other parameters and errors see `mesh`.
    """
    return _grid(name, dims, bandwidth, latency, [size > 2 or doubled for size in dims])


def fully_connected(name: str, npus: int, bandwidth: int, latency: int) -> Topology:
    """Make a topology with a link from every NPU to every other.

    Raises
    ------
    InputError
        If there are too many NPUs or links.
    """
    check_size(name, npus, npus * (npus - 1))
    src, dst = np.divmod(np.arange(npus * npus), npus)
    kept = src != dst
    links = int(kept.sum())
    columns = (np.full(links, bandwidth), np.full(links, latency))
    return Topology.from_columns(name, npus, src[kept], dst[kept], *columns)


# NVLinks between the GPUs of a DGX-1 with V100 (`nvidia-smi topo -m`), both ways.
_DGX1_NVLINKS = {
    **dict.fromkeys([(0, 1), (0, 2), (1, 3), (4, 5), (4, 6), (5, 7), (2, 6), (3, 7)], 1),
    **dict.fromkeys([(0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (4, 7), (5, 6), (6, 7)], 2),
}


def dgx1(name: str, bandwidth: int, latency: int) -> Topology:
    """Make NVIDIA's DGX-1 (V100): 8 GPUs; pairs joined by two NVLinks have one link of twice the
    bandwidth in each direction.

    Parameters
    ----------
    name : str
        The topology's name.
    bandwidth : int
        Of one NVLink in one direction, in bytes per second.
    latency : int
        In picoseconds.
    """
    bonds = {**_DGX1_NVLINKS, **{(b, a): count for (a, b), count in _DGX1_NVLINKS.items()}}
    links = [Link(a, b, bonds[a, b] * bandwidth, latency) for a, b in sorted(bonds)]
    return Topology.from_links(name, 8, links)


def _grid(
    name: str,
    dims: Sequence[int],
    bandwidth: Sequence[int],
    latency: Sequence[int],
    wraps: Sequence[bool],
) -> Topology:
    npus = prod(dims)
    check_size(name, npus, 2 * npus * len(dims))
    ids = np.arange(npus)
    columns: list[NDArray[np.int64]] = [np.empty((4, 0), dtype=np.int64)]
    stride = 1
    for size, wrap, b, alpha in zip(dims, wraps, bandwidth, latency, strict=True):
        coordinate = ids // stride % size
        ahead = ids[coordinate < size - 1]
        pairs = [(ahead, ahead + stride)]
        if wrap and size > 1:
            last = ids[coordinate == size - 1]
            pairs.append((last, last - (size - 1) * stride))
        for one, other in pairs:
            both = np.concatenate((one, other)), np.concatenate((other, one))
            columns.append(
                np.array([*both, np.full(len(both[0]), b), np.full(len(both[0]), alpha)])
            )
        stride *= size
    return Topology.from_columns(name, npus, *np.concatenate(columns, axis=1))
