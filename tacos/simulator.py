"""Timing of a schedule's transfers when each starts as soon as it can."""

import numpy as np
from numba import njit

from tacos.bits import unpack
from tacos.problem import Problem
from tacos.schedule import Schedule


def replay(problem: Problem, schedule: Schedule) -> Schedule:
    """Start every transfer as soon as its chunk has arrived and its link is free.

    The order of transfers on each link is kept. The result never ends later than the schedule, and
    is valid if the schedule is: this turns synchronous steps or a coarse time grid into exact
    times.

    Parameters
    ----------
    problem : Problem
        Gives costs and who holds what at the start.
    schedule : Schedule
        A valid schedule, possibly with idle time.

    Returns
    -------
    Schedule
        The same transfers, sorted by their former start.
    """
    order = np.argsort(schedule.start, kind="stable")
    chunk, link = schedule.chunk[order], schedule.link[order]
    holds = unpack(problem.collective.holds(), problem.collective.chunks)
    start = _earliest(chunk, link, problem.topology.src, problem.topology.dst, problem.costs, holds)
    return Schedule(chunk, link, start)


@njit(cache=True)
def _earliest(chunk, link, src, dst, costs, holds):  # type: ignore[no-untyped-def]
    # In order of former start, what a transfer waits for has been timed before it.
    never = np.iinfo(np.int64).max
    arrival = np.where(holds, np.int64(0), never)
    free = np.zeros(len(src), dtype=np.int64)
    start = np.empty(len(chunk), dtype=np.int64)
    for i in range(len(chunk)):
        k = link[i]
        start[i] = max(arrival[src[k], chunk[i]], free[k])
        free[k] = start[i] + costs[k]
        arrival[dst[k], chunk[i]] = min(arrival[dst[k], chunk[i]], free[k])
    return start
