"""What a transfer costs: the alpha-beta model in whole picoseconds."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacos.topology import Topology

PICOSECONDS = 10**12
MAX_COST = 2**62


def link_costs(topology: Topology, chunk_bytes: Fraction) -> NDArray[np.int64]:
    """Return the time each link takes for one chunk: ``alpha + bytes / bandwidth``.

    Parameters
    ----------
    topology : Topology
        Gives latency alpha and bandwidth of each link.
    chunk_bytes : Fraction
        Bytes of a chunk, not necessarily whole.

    Returns
    -------
    ndarray of int64, shape (links,)
        Picoseconds, rounded to the nearest (ties to even).

    Raises
    ------
    OverflowError
        If a cost exceeds 2**62 ps.
    """
    bandwidths, which = np.unique(topology.bandwidth, return_inverse=True)
    serialization = [round(chunk_bytes * PICOSECONDS / int(b)) for b in bandwidths]
    if max(serialization, default=0) + int(topology.latency.max(initial=0)) > MAX_COST:
        raise OverflowError("a link's cost exceeds 2**62 ps")
    return topology.latency + np.array(serialization, dtype=np.int64)[which]
