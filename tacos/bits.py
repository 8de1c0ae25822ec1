"""Bit matrices: one row an NPU, one bit a chunk, 64 chunks a word.

Chunk c is bit ``c % 64`` of word ``c // 64``. Bits past the last chunk are zero.
"""

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.uint64]


def words(chunks: int) -> int:
    """Return how many words hold `chunks` bits."""
    return (chunks + 63) // 64


def zeros(rows: int, chunks: int) -> Matrix:
    """Return a matrix with no bit set, shape (rows, words)."""
    return np.zeros((rows, words(chunks)), dtype=np.uint64)


def ones(chunks: int) -> Matrix:
    """Return one row with the bit of every chunk set, shape (words,)."""
    row = np.full(words(chunks), ~np.uint64(0))
    if chunks % 64:
        row[-1] = np.uint64((1 << chunks % 64) - 1)
    return row


def set_each(matrix: Matrix, rows: NDArray[np.integer], chunks: NDArray[np.integer]) -> None:
    """Set bit ``chunks[i]`` of row ``rows[i]`` for every i."""
    masks = np.left_shift(np.uint64(1), (chunks % 64).astype(np.uint64))
    np.bitwise_or.at(matrix, (rows, chunks // 64), masks)


def unpack(matrix: Matrix, chunks: int) -> NDArray[np.bool_]:
    """Return the bits as booleans, shape (rows, chunks)."""
    octets = np.ascontiguousarray(matrix.astype("<u8")).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=chunks, bitorder="little").astype(np.bool_)
