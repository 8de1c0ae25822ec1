"""The greedy as a synthesizer: seeds tried one after another, the best kept."""

from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter

import numba
import numpy as np

from tacos.collective import all_gather
from tacos.errors import InputError
from tacos.greedy import kernel
from tacos.problem import Problem
from tacos.schedule import Schedule
from tacos.shapes import mesh
from tacos.synthesizer import Budget, Solution, Status, Synthesizer

_PAUSE = 2**20
"""Transfers between two looks at the clock."""


def synthesize(
    problem: Problem, seed: int, threads: int = 1, deadline: float = float("inf")
) -> Schedule | None:
    """Match links with chunks greedily in order of time (see `tacos.greedy.reference`).

    Parameters
    ----------
    problem : Problem
        What to realise.
    seed : int
        Seed of all choices.
    threads : int
        Threads to use; the schedule does not depend on it.
    deadline : float
        Value of ``time.perf_counter()`` at which to give up.

    Returns
    -------
    Schedule or None
        In order of start; None if the deadline passed first.
    """
    rng = np.random.default_rng(seed)
    network = kernel.make_network(problem, rng)
    state = kernel.make_state(problem, network, rng)
    transfers = kernel.make_transfers(int(state.wanted.sum()))
    before = numba.get_num_threads()
    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    try:
        while (written := int(transfers.written[0])) < len(transfers.link):
            if perf_counter() > deadline:
                return None
            kernel.advance(network, state, transfers, written + _PAUSE)
    finally:
        numba.set_num_threads(before)
    return Schedule(transfers.chunk, transfers.link, transfers.start)


@dataclass(frozen=True)
class TacosSynthesizer(Synthesizer):
    """The greedy time-expanded-network algorithm of the TACOS paper, compiled.

    Parameters
    ----------
    trials : int
        Seeds to try, from the given one upwards; the shortest schedule is kept, the earliest of
        equals.
    """

    name = "tacos"
    trials: int = 1

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise InputError("solver tacos", f"{self.trials} trials", "1 or more")

    def prepare(self) -> None:
        """Compile the kernel, or load it from disk."""
        topology = mesh("mesh:2", [2], [10**9], [0])
        synthesize(Problem(topology, all_gather(2), Fraction(1)), seed=0)

    def synthesize(self, problem: Problem, budget: Budget, seed: int) -> Solution:
        """Run the trials that fit the budget; see `Synthesizer.synthesize`."""
        start = perf_counter()
        needed = _memory_bytes(problem)
        if needed > budget.memory_bytes:
            reason = f"{needed} bytes needed, {budget.memory_bytes} allowed"
            return Solution.without_schedule(Status.OUT_OF_MEMORY, reason)
        best: Schedule | None = None
        times: list[int] = []
        for trial in range(self.trials):
            schedule = synthesize(problem, seed + trial, budget.threads, start + budget.seconds)
            if schedule is None:
                break
            times.append(schedule.collective_time(problem.costs))
            if times[-1] == min(times) and times.count(times[-1]) == 1:
                best = schedule
        seconds = perf_counter() - start
        if best is None:
            return Solution.without_schedule(Status.TIMEOUT, "no trial ended in time", seconds)
        stats = {
            "trials_run": len(times),
            "best_seed": seed + times.index(min(times)),
            "stopped_by_clock": len(times) < self.trials,
        }
        return Solution(Status.FEASIBLE, best, None, seconds, stats)


def _memory_bytes(problem: Problem) -> int:
    """Estimate what a run allocates: two bit matrices and two schedules (the best and the new)."""
    pairs = problem.topology.npus * problem.collective.chunks
    return pairs // 4 + 2 * 16 * pairs
