"""The question that every synthesizer is handed."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacos.collective import Collective
from tacos.cost import MAX_COST, link_costs
from tacos.errors import InputError, UnreachableError
from tacos.paths import UNREACHED, Paths
from tacos.topology import Topology


@dataclass(frozen=True, eq=False)
class Problem:
    """Realise a collective on a topology with chunks of a given size.

    Parameters
    ----------
    topology : Topology
        The network.
    collective : Collective
        What must come to be; on the same number of NPUs.
    chunk_bytes : Fraction
        Bytes of a chunk, at least 1 and not necessarily whole.

    Raises
    ------
    UnreachableError
        If an NPU needs a chunk that no path brings to it; names both ends.
    InputError
        If a chunk crosses some link in less than half a picosecond, or the collective may last
        longer than 2**62 ps (53 days).
    """

    topology: Topology
    collective: Collective
    chunk_bytes: Fraction

    def __post_init__(self) -> None:
        if self.collective.npus != self.topology.npus:
            raise ValueError("the collective and the topology differ in NPUs")
        self._check_costs()
        self._check_reach()

    @cached_property
    def costs(self) -> NDArray[np.int64]:
        """Time of one chunk over each link in picoseconds, shape (links,)."""
        costs = link_costs(self.topology, self.chunk_bytes)
        costs.flags.writeable = False
        return costs

    @cached_property
    def paths(self) -> Paths:
        """Shortest times between NPUs for one chunk."""
        return Paths(self.topology, self.costs)

    @property
    def size(self) -> int:
        """Bytes of the gathered output (All-Gather) or of the buffer (Broadcast)."""
        return int(self.chunk_bytes * self.collective.chunks)

    @property
    def uniform(self) -> bool:
        """Whether one chunk takes the same time over every link."""
        return len(self.costs) == 0 or bool((self.costs == self.costs[0]).all())

    def _check_costs(self) -> None:
        name = self.topology.name
        try:
            costs = self.costs
        except OverflowError:
            raise self._too_long() from None
        if costs.min(initial=1) < 1:
            link = int(costs.argmin())
            ends = f"{self.topology.src[link]} -> {self.topology.dst[link]}"
            found = f"a chunk of {float(self.chunk_bytes):g} bytes takes no time on link {ends}"
            raise InputError(name, found, "at least 1 ps for a chunk on every link")
        # No greedy schedule lasts longer than each chunk crossing to each NPU in turn.
        if int(costs.max(initial=0)) * self.collective.chunks * self.topology.npus > MAX_COST:
            raise self._too_long()

    def _too_long(self) -> InputError:
        found = "the collective may last longer than 2**62 ps (53 days)"
        return InputError(self.topology.name, found, "less data or more bandwidth")

    def _check_reach(self) -> None:
        first = int(self.collective.source[0])
        from_first = self.paths.times_from(np.array([first]))
        for npu in np.flatnonzero(from_first == UNREACHED)[:1]:
            raise self._unreachable(int(npu), first)
        # What reaches the first source reaches, through it, everything the first source reaches.
        to_first = self.paths.times_to(first)
        for source in self.collective.source[to_first[self.collective.source] == UNREACHED][:1]:
            reached = self.paths.times_from(np.array([source])) != UNREACHED
            for npu in np.flatnonzero(~reached)[:1]:
                raise self._unreachable(int(npu), int(source))

    def _unreachable(self, npu: int, source: int) -> UnreachableError:
        found = f"NPU {npu} cannot be reached from NPU {source}"
        accepted = f"a path to every NPU that {self.collective.name} must reach"
        return UnreachableError(self.topology.name, found, accepted)
