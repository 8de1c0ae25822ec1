"""The greedy on chunk bitsets, compiled: one link's choice costs nanoseconds.

Chunks are bits, and which bit a chunk gets is drawn by the seed, so that bits next to each other
mean nothing. A link has exactly one destination, so at one instant the choices for different
destinations touch different data: they run in parallel, each destination with its own random
numbers, and the result does not depend on the number of threads.
"""

import heapq
from typing import NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from tacos import bits
from tacos.problem import Problem

FREE = -1
_BLOCK = 128
"""Destinations that one thread matches at a time."""


class Network(NamedTuple):
    """The problem as the kernel reads it; links are renumbered: by destination, cheapest first."""

    link: NDArray[np.int32]  # (links,) number in the topology
    src: NDArray[np.int32]  # (links,)
    dst: NDArray[np.int32]  # (links,)
    in_start: NDArray[np.int32]  # (npus + 1,) first in-link of each NPU
    out_links: NDArray[np.int32]  # (links,) grouped by source
    out_start: NDArray[np.int32]  # (npus + 1,) first position in out_links of each NPU
    cost_class: NDArray[np.int32]  # (links,)
    class_cost: NDArray[np.int64]  # (classes,) picoseconds
    chunk: NDArray[np.int32]  # (chunks,) the chunk of each bit


class State(NamedTuple):
    """Where a run stands.

    Transfers over links of one cost end in the order in which they started, so those in flight
    wait in one ring a cost class.
    """

    now: NDArray[np.int64]  # (1,) picoseconds
    holds: bits.Matrix  # (npus, words) arrived
    wants: bits.Matrix  # (npus, words) needed and not on the way
    wanted: NDArray[np.int64]  # (npus,) number of bits in wants
    random: NDArray[np.uint64]  # (npus,) never 0
    carried: NDArray[np.int32]  # (links,) the bit on the way, or FREE
    end: NDArray[np.int64]  # (links,) when the last transfer of each link ends
    ring: NDArray[np.int32]  # (links,) links in flight, one ring a class
    ring_start: NDArray[np.int32]  # (classes + 1,) where each ring lies
    ring_head: NDArray[np.int32]  # (classes,) where the first to end is
    in_flight: NDArray[np.int32]  # (classes,)
    active: NDArray[np.int32]  # (npus,) the destinations to match now come first
    actives: NDArray[np.int64]  # (1,) how many those are
    is_active: NDArray[np.bool_]  # (npus,)


class Transfers(NamedTuple):
    """The schedule as it is written, in order of start."""

    chunk: NDArray[np.int32]  # (transfers,)
    link: NDArray[np.int32]  # (transfers,)
    start: NDArray[np.int64]  # (transfers,) picoseconds
    written: NDArray[np.int64]  # (1,) how many so far


def make_network(problem: Problem, rng: np.random.Generator) -> Network:
    """Lay out a problem for the kernel, with bits dealt to chunks at random."""
    topology = problem.topology
    link = np.lexsort((problem.costs, topology.dst)).astype(np.int32)
    src, dst = topology.src[link], topology.dst[link]
    out_links = np.argsort(src, kind="stable").astype(np.int32)
    out_start = np.searchsorted(src[out_links], np.arange(topology.npus + 1)).astype(np.int32)
    class_cost, cost_class = np.unique(problem.costs[link], return_inverse=True)
    chunk = rng.permutation(problem.collective.chunks).astype(np.int32)
    return Network(
        link,
        src,
        dst,
        topology.in_start,
        out_links,
        out_start,
        cost_class.astype(np.int32),
        class_cost,
        chunk,
    )


def make_state(problem: Problem, network: Network, rng: np.random.Generator) -> State:
    """Return the state before the first transfer."""
    npus, links, collective = problem.topology.npus, problem.topology.links, problem.collective
    holds = bits.zeros(npus, collective.chunks)
    bits.set_each(holds, collective.source[network.chunk], np.arange(collective.chunks))
    wants = collective.needs() & ~holds
    ring_sizes = np.bincount(network.cost_class, minlength=len(network.class_cost))
    return State(
        now=np.zeros(1, np.int64),
        holds=holds,
        wants=wants,
        wanted=np.bitwise_count(wants).sum(axis=1, dtype=np.int64),
        random=rng.integers(1, 2**64, npus, dtype=np.uint64),
        carried=np.full(links, FREE, np.int32),
        end=np.zeros(links, np.int64),
        ring=np.empty(links, np.int32),
        ring_start=np.concatenate(([0], np.cumsum(ring_sizes))).astype(np.int32),
        ring_head=(np.cumsum(ring_sizes) - ring_sizes).astype(np.int32),
        in_flight=np.zeros(len(ring_sizes), np.int32),
        active=np.arange(npus, dtype=np.int32),
        actives=np.array([npus]),
        is_active=np.zeros(npus, np.bool_),
    )


def make_transfers(count: int) -> Transfers:
    """Return room for a schedule."""
    columns = (np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.int64))
    return Transfers(*columns, np.zeros(1, np.int64))


@njit(cache=True, parallel=True)
def advance(network, state, transfers, pause):  # type: ignore[no-untyped-def]
    """Match until all transfers are written, or until at least `pause` are."""
    queue = [
        (state.end[state.ring[state.ring_head[k]]], np.int64(k))
        for k in range(len(state.in_flight))
        if state.in_flight[k]
    ]
    heapq.heapify(queue)
    while True:
        actives = state.actives[0]
        blocks = -(-actives // _BLOCK)
        if blocks == 1:
            _match(network, state, 0, actives)
        else:
            for block in prange(blocks):
                _match(network, state, block * _BLOCK, min(actives, (block + 1) * _BLOCK))
        _write_started(network, state, transfers, queue)
        if transfers.written[0] >= min(pause, len(transfers.link)):
            return
        _end_next(network, state, queue)


@njit(cache=True)
def _match(network, state, begin, end):  # type: ignore[no-untyped-def]
    """Let each free in-link of some active NPUs, cheapest first, take a chunk it can bring."""
    holds, wants, wanted, carried = state.holds, state.wants, state.wanted, state.carried
    for i in range(begin, end):
        npu = state.active[i]
        random = state.random[npu]
        for link in range(network.in_start[npu], network.in_start[npu + 1]):
            if carried[link] == FREE and wanted[npu]:
                random = _next_random(random)
                bit = _random_common_bit(holds, network.src[link], wants, npu, random)
                if bit != FREE:
                    wants[npu, bit >> 6] &= ~(np.uint64(1) << np.uint64(bit & 63))
                    wanted[npu] -= 1
                    carried[link] = bit
        state.random[npu] = random


@njit(cache=True)
def _next_random(random):  # type: ignore[no-untyped-def]
    """Step a 64-bit random number, never 0: xorshift64 (Marsaglia, 2003)."""
    random ^= random << np.uint64(13)
    random ^= random >> np.uint64(7)
    return random ^ (random << np.uint64(17))


@njit(cache=True)
def _random_common_bit(holds, src, wants, npu, random):  # type: ignore[no-untyped-def]
    """Return a random bit that is set in both rows, or FREE."""
    words = holds.shape[1]
    first = np.int64((random >> np.uint64(32)) * np.uint64(words) >> np.uint64(32))
    for i in range(words):
        word = first + i if first + i < words else first + i - words
        common = holds[src, word] & wants[npu, word]
        if common:
            skip = (random & np.uint64(0xFFFFFFFF)) * _count(common) >> np.uint64(32)
            return np.int32(word * 64 + _nth_bit(common, skip))
    return np.int32(FREE)


@njit(cache=True)
def _count(word):  # type: ignore[no-untyped-def]
    """Return the number of set bits."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@njit(cache=True)
def _nth_bit(word, n):  # type: ignore[no-untyped-def]
    """Return the position of the set bit that has n set bits below it."""
    position = np.int64(0)
    width = np.uint64(32)
    while width:
        below = _count(word & ((np.uint64(1) << width) - np.uint64(1)))
        if n >= below:
            n -= below
            word >>= width
            position += np.int64(width)
        width >>= np.uint64(1)
    return position


@njit(cache=True)
def _write_started(network, state, transfers, queue):  # type: ignore[no-untyped-def]
    """Append the matches of this instant to the schedule and put them in flight."""
    now = state.now[0]
    n = transfers.written[0]
    carried, end, ring_start, in_flight = state.carried, state.end, state.ring_start, state.in_flight
    for i in range(state.actives[0]):
        npu = state.active[i]
        state.is_active[npu] = False
        for link in range(network.in_start[npu], network.in_start[npu + 1]):
            if carried[link] == FREE or end[link] > now:
                continue
            transfers.chunk[n] = network.chunk[carried[link]]
            transfers.link[n] = network.link[link]
            transfers.start[n] = now
            n += 1
            k = network.cost_class[link]
            end[link] = now + network.class_cost[k]
            place = state.ring_head[k] + in_flight[k]
            if place >= ring_start[k + 1]:
                place -= ring_start[k + 1] - ring_start[k]
            state.ring[place] = link
            in_flight[k] += 1
            if in_flight[k] == 1:
                heapq.heappush(queue, (end[link], np.int64(k)))
    transfers.written[0] = n
    state.actives[0] = 0


@njit(cache=True)
def _end_next(network, state, queue):  # type: ignore[no-untyped-def]
    """Go to the next time at which transfers end; activate the destinations that may match."""
    now = queue[0][0]
    state.now[0] = now
    ring, ring_head, in_flight, end = state.ring, state.ring_head, state.in_flight, state.end
    holds, carried, active, is_active = state.holds, state.carried, state.active, state.is_active
    actives = 0
    while queue and queue[0][0] == now:
        _, k = heapq.heappop(queue)
        while in_flight[k] and end[ring[ring_head[k]]] == now:
            link = ring[ring_head[k]]
            ring_head[k] += 1
            if ring_head[k] == state.ring_start[k + 1]:
                ring_head[k] = state.ring_start[k]
            in_flight[k] -= 1
            bit, npu = carried[link], network.dst[link]
            holds[npu, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
            carried[link] = FREE
            if not is_active[npu]:
                is_active[npu] = True
                active[actives] = npu
                actives += 1
            for i in range(network.out_start[npu], network.out_start[npu + 1]):
                out_link = network.out_links[i]
                reached = network.dst[out_link]
                if carried[out_link] == FREE and not is_active[reached]:
                    is_active[reached] = True
                    active[actives] = reached
                    actives += 1
        if in_flight[k]:
            heapq.heappush(queue, (end[ring[ring_head[k]]], k))
    state.actives[0] = actives
