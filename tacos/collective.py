"""What each NPU holds before, and must hold after."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacos import bits
from tacos.errors import InputError, shown

MAX_CHUNKS = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Collective:
    """Chunks that start on one NPU each and must end on every NPU.

    Attributes
    ----------
    name : str
        ``all-gather`` or ``broadcast``.
    npus : int
        Number of NPUs that take part: all of the topology's.
    split : int
        Chunks an NPU's own data is cut into (``--chunks``).
    root : int or None
        The NPU that holds everything at the start, where the collective has one.
    source : ndarray of int32, shape (chunks,)
        The NPU that holds each chunk at the start.
    """

    name: str
    npus: int
    split: int
    root: int | None
    source: NDArray[np.int32]

    @property
    def chunks(self) -> int:
        """Number of chunks in all."""
        return len(self.source)

    def holds(self) -> NDArray[np.uint64]:
        """Return who holds what at the start, as a new bit matrix (see `tacos.bits`).

        Shape (npus, words); bit c of row v says whether NPU v holds chunk c.
        """
        matrix = bits.zeros(self.npus, self.chunks)
        bits.set_each(matrix, self.source, np.arange(self.chunks))
        return matrix

    def needs(self) -> NDArray[np.uint64]:
        """Return who must hold what at the end, as a read-only bit matrix like `holds`."""
        return np.broadcast_to(bits.ones(self.chunks), (self.npus, bits.words(self.chunks)))

    def chunk_bytes(self, size: int) -> Fraction:
        """Return the bytes of one chunk when the gathered output (or the buffer) has `size` bytes.

        Raises
        ------
        InputError
            If a chunk would be smaller than one byte.
        """
        if size < self.chunks:
            found = f"{size} bytes for {self.chunks} chunks"
            raise InputError("--size", found, "at least one byte a chunk")
        return Fraction(size, self.chunks)


def all_gather(npus: int, split: int = 1) -> Collective:
    """Every NPU starts with `split` chunks of its own; all end with all."""
    _check_count(npus * split)
    source = np.repeat(np.arange(npus, dtype=np.int32), split)
    return Collective("all-gather", npus, split, None, _read_only(source))


def broadcast(npus: int, split: int = 1, root: int = 0) -> Collective:
    """The root starts with `split` chunks; all end with all."""
    _check_count(split)
    if not 0 <= root < npus:
        raise InputError("--root", f"NPU {root}", f"0 to {npus - 1}")
    return Collective("broadcast", npus, split, root, _read_only(np.full(split, root, np.int32)))


ROOTLESS: dict[str, Callable[[int, int], Collective]] = {"all-gather": all_gather}
ROOTED: dict[str, Callable[[int, int, int], Collective]] = {"broadcast": broadcast}


def make_collective(name: str, npus: int, split: int = 1, root: int | None = None) -> Collective:
    """Make a collective from its name and what the user gave.

    Raises
    ------
    InputError
        If the name is unknown, the split is below 1 or gives more than 2**31 - 1 chunks, or a root
        is given that does not exist or to a collective without one.
    """
    if name in ROOTED:
        return ROOTED[name](npus, split, 0 if root is None else root)
    if name not in ROOTLESS:
        raise InputError("collective", f"{shown(name)} is unknown", ", ".join(ROOTLESS | ROOTED))
    if root is not None:
        raise InputError("--root", f"{name} has no root", f"a root with {', '.join(ROOTED)}")
    return ROOTLESS[name](npus, split)


def _check_count(chunks: int) -> None:
    if not 1 <= chunks <= MAX_CHUNKS:
        raise InputError("--chunks", f"{chunks} chunks in all", f"1 to {MAX_CHUNKS}")


def _read_only(array: NDArray[np.int32]) -> NDArray[np.int32]:
    array.flags.writeable = False
    return array
