"""The transfers that realise a collective."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Schedule:
    """Transfers in columns, in any order. All arrays are read-only.

    Attributes
    ----------
    chunk : ndarray of int32, shape (transfers,)
        The chunk each transfer moves.
    link : ndarray of int32, shape (transfers,)
        The link it uses, as numbered in the topology.
    start : ndarray of int64, shape (transfers,)
        When it starts, in picoseconds. It ends one link cost later.
    """

    chunk: NDArray[np.int32]
    link: NDArray[np.int32]
    start: NDArray[np.int64]

    def __post_init__(self) -> None:
        for column in (self.chunk, self.link, self.start):
            column.flags.writeable = False

    @classmethod
    def from_transfers(cls, transfers: Iterable[tuple[int, int, int]]) -> "Schedule":
        """Make a schedule of (chunk, link, start) triples."""
        chunk, link, start = np.array(list(transfers), dtype=np.int64).reshape(-1, 3).T
        return cls(chunk.astype(np.int32), link.astype(np.int32), start.copy())

    @property
    def transfers(self) -> int:
        """Number of transfers."""
        return len(self.chunk)

    def collective_time(self, costs: NDArray[np.int64]) -> int:
        """Return when the last transfer ends, in picoseconds, given the cost of each link."""
        return int((self.start + costs[self.link]).max(initial=0))
