"""The network: NPUs and directed links."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacos.errors import InputError
from tacos.units import LARGEST

if TYPE_CHECKING:
    import networkx as nx

MAX_NPUS = 2**22
MAX_LINKS = 2**26

_INTEGER = int | np.integer


@dataclass(frozen=True)
class Link:
    """One directed link, as files and users name it.

    Parameters
    ----------
    src, dst : int
        The NPUs it leads from and to.
    bandwidth : int
        Bytes per second, at least 1.
    latency : int
        Picoseconds, at least 0.
    """

    src: int
    dst: int
    bandwidth: int
    latency: int


@dataclass(frozen=True, eq=False)
class Topology:
    """NPUs 0..npus-1 and directed links in columns, grouped by destination.

    Build one with `from_columns` or `from_links`, which put the links in order. Parallel links are
    separate links. All arrays are read-only.

    Attributes
    ----------
    name : str
        Its spec (``mesh:5x5``) or the name its file gives.
    npus : int
        Number of NPUs, at least 1.
    src, dst : ndarray of int32, shape (links,)
        Where each link leads from and to; `dst` ascends.
    bandwidth : ndarray of int64, shape (links,)
        Bytes per second.
    latency : ndarray of int64, shape (links,)
        Picoseconds.
    in_start : ndarray of int32, shape (npus + 1,)
        The in-links of NPU v are ``in_start[v]`` to ``in_start[v + 1] - 1``.
    """

    name: str
    npus: int
    src: NDArray[np.int32]
    dst: NDArray[np.int32]
    bandwidth: NDArray[np.int64]
    latency: NDArray[np.int64]
    in_start: NDArray[np.int32]

    @classmethod
    def from_columns(
        cls,
        name: str,
        npus: int,
        src: NDArray[np.integer],
        dst: NDArray[np.integer],
        bandwidth: NDArray[np.integer],
        latency: NDArray[np.integer],
    ) -> "Topology":
        """Make a topology of links given as columns of equal length, in any order.

        Links to the same destination keep their order.

        Raises
        ------
        InputError
            If there are too few or too many NPUs or links, or a link leads from or to an NPU that
            does not exist or to itself; names the link.
        """
        check_size(name, npus, len(src))
        for end in (src, dst):
            for link in np.flatnonzero((end < 0) | (end >= npus))[:1]:
                found = f"link {link} ({src[link]} -> {dst[link]}) has NPU {end[link]}"
                raise InputError(name, found, f"NPUs 0 to {npus - 1}")
        for link in np.flatnonzero(src == dst)[:1]:
            found = f"link {link} leads from NPU {src[link]} to itself"
            raise InputError(name, found, "links between two different NPUs")
        order = np.argsort(dst, kind="stable")
        in_start = np.zeros(npus + 1, dtype=np.int32)
        np.cumsum(np.bincount(dst, minlength=npus), out=in_start[1:])
        columns = (
            src[order].astype(np.int32),
            dst[order].astype(np.int32),
            bandwidth[order].astype(np.int64),
            latency[order].astype(np.int64),
            in_start,
        )
        for column in columns:
            column.flags.writeable = False
        return cls(name, npus, *columns)

    @classmethod
    def from_links(cls, name: str, npus: int, links: Iterable[Link]) -> "Topology":
        """Make a topology of links one by one.

        Raises
        ------
        InputError
            As `from_columns`, and if a number is out of the range `Link` states or above 2**62.
        """
        links = list(links)
        for link in links:
            if not (1 <= link.bandwidth <= LARGEST and 0 <= link.latency <= LARGEST):
                found = f"link {link.src} -> {link.dst} has {link.bandwidth} B/s, {link.latency} ps"
                raise InputError(name, found, "1 to 2**62 B/s and 0 to 2**62 ps")
        rows = [(link.src, link.dst, link.bandwidth, link.latency) for link in links]
        columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
        return cls.from_columns(name, npus, *columns)

    @property
    def links(self) -> int:
        """Number of links."""
        return len(self.src)

    def to_networkx(self) -> "nx.MultiDiGraph[int]":
        """Copy to a networkx graph; edges carry ``bandwidth`` (B/s) and ``latency`` (ps)."""
        import networkx as nx

        graph: nx.MultiDiGraph[int] = nx.MultiDiGraph(name=self.name)
        graph.add_nodes_from(range(self.npus))
        for src, dst, bandwidth, latency in zip(
            self.src.tolist(),
            self.dst.tolist(),
            self.bandwidth.tolist(),
            self.latency.tolist(),
            strict=True,
        ):
            graph.add_edge(src, dst, bandwidth=bandwidth, latency=latency)
        return graph

    @classmethod
    def from_networkx(cls, graph: "nx.Graph[Any]") -> "Topology":
        """Copy from a networkx graph whose nodes are 0..n-1; an undirected edge gives two links.

        Raises
        ------
        InputError
            If the nodes are not 0..n-1, or an edge lacks ``bandwidth`` (B/s) or ``latency`` (ps) as
            an integer, and as `from_links`; names the edge.
        """
        name = str(graph.graph.get("name") or "networkx")
        if set(graph.nodes) != set(range(len(graph))):
            raise InputError(name, "the nodes are not numbered", "nodes 0, 1, ..., n-1")
        links = []
        for src, dst, attributes in graph.to_directed().edges(data=True):
            bandwidth, latency = attributes.get("bandwidth"), attributes.get("latency")
            if not isinstance(bandwidth, _INTEGER) or not isinstance(latency, _INTEGER):
                found = f"edge {src} -> {dst} has bandwidth {bandwidth!r}, latency {latency!r}"
                raise InputError(name, found, "whole bytes per second, whole picoseconds")
            links.append(Link(src, dst, int(bandwidth), int(latency)))
        return cls.from_links(name, len(graph), links)


def check_size(name: str, npus: int, links: int) -> None:
    """Refuse a topology that is empty or too large before anything is allocated for it.

    Raises
    ------
    InputError
        If there is no NPU, or more than MAX_NPUS NPUs or MAX_LINKS links.
    """
    if not 1 <= npus <= MAX_NPUS:
        raise InputError(name, f"{npus} NPUs", f"1 to {MAX_NPUS} NPUs")
    if links > MAX_LINKS:
        raise InputError(name, f"{links} links", f"at most {MAX_LINKS} links")
