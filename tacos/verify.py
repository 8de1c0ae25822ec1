"""The only judge of schedules; shares no code with any synthesizer."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from tacos.bits import unpack
from tacos.cost import MAX_COST
from tacos.problem import Problem
from tacos.schedule import Schedule
from tacos.units import microseconds

_NEVER = np.iinfo(np.int64).max


class Rule(StrEnum):
    """What a valid schedule keeps to; the value says how it was broken."""

    LINK = "uses a link that does not exist"
    CHUNK = "moves a chunk that does not exist"
    TIME = "starts outside of time"
    CAPACITY = "starts while its link is busy"
    CAUSALITY = "starts before its source holds the chunk"
    POSTCONDITION = "chunk never arrives"


@dataclass(frozen=True)
class Violation:
    """One breach of a rule.

    Attributes
    ----------
    rule : Rule
        What was broken.
    transfer : int or None
        Index in the schedule; None for a chunk that never arrives.
    npu : int or None
        The source of the transfer, or the NPU that lacks the chunk; None if the link is unknown.
    chunk : int
        The chunk concerned.
    time : int or None
        Start of the transfer in picoseconds; None for a chunk that never arrives.
    """

    rule: Rule
    transfer: int | None
    npu: int | None
    chunk: int
    time: int | None

    def __str__(self) -> str:
        parts = [
            "" if self.transfer is None else f"transfer {self.transfer}",
            f"chunk {self.chunk}",
            "" if self.npu is None else f"NPU {self.npu}",
            "" if self.time is None else f"at {microseconds(self.time):g} us",
        ]
        return f"{self.rule} ({', '.join(part for part in parts if part)})"


@dataclass(frozen=True)
class Verdict:
    """What the verifier found.

    Attributes
    ----------
    violations : tuple of Violation
        The first few breaches; empty exactly if the schedule is valid.
    collective_time : int
        Picoseconds until the last transfer ends; without meaning if the schedule is not valid.
    """

    violations: tuple[Violation, ...]
    collective_time: int

    @property
    def valid(self) -> bool:
        """Whether the schedule keeps to every rule."""
        return not self.violations


def verify(problem: Problem, schedule: Schedule, limit: int = 10) -> Verdict:
    """Check a schedule against the model (design.md, Model, Valid).

    Parameters
    ----------
    problem : Problem
        What the schedule is meant to realise.
    schedule : Schedule
        Transfers in any order, with any values.
    limit : int
        How many violations to report at most.

    Returns
    -------
    Verdict
        Causality, capacity and postconditions are judged only if every transfer names an existing
        link, an existing chunk and a time from 0 to 2**62 ps.

    Notes
    -----
    Delivering a chunk twice is wasteful, not wrong. O(transfers * log(transfers)) time and
    O(npus * chunks + transfers) memory.
    """
    found = tuple(islice(_malformed(problem, schedule), limit))
    if found:
        return Verdict(found, 0)
    end = schedule.start + problem.costs[schedule.link]
    arrival = _arrivals(problem, schedule, end)
    breaches = chain(
        _capacity(problem, schedule, end),
        _causality(problem, schedule, arrival),
        _postcondition(problem, arrival),
    )
    return Verdict(tuple(islice(breaches, limit)), int(end.max(initial=0)))


def _malformed(problem: Problem, schedule: Schedule) -> Iterator[Violation]:
    def outside(values: NDArray[np.integer], limit: int) -> list[int]:
        return np.flatnonzero((values < 0) | (values >= limit)).tolist()

    for i in outside(schedule.link, problem.topology.links):
        yield Violation(Rule.LINK, i, None, int(schedule.chunk[i]), int(schedule.start[i]))
    if outside(schedule.link, problem.topology.links):
        return  # without a link there is no NPU to name
    for i in outside(schedule.chunk, problem.collective.chunks):
        yield _breach(Rule.CHUNK, problem, schedule, i)
    for i in outside(schedule.start, MAX_COST):
        yield _breach(Rule.TIME, problem, schedule, i)


def _arrivals(
    problem: Problem, schedule: Schedule, end: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return when each NPU first holds each chunk, shape (npus, chunks)."""
    holds = unpack(problem.collective.holds(), problem.collective.chunks)
    arrival = np.where(holds, 0, _NEVER)
    np.minimum.at(arrival, (problem.topology.dst[schedule.link], schedule.chunk), end)
    return arrival


def _capacity(
    problem: Problem, schedule: Schedule, end: NDArray[np.int64]
) -> Iterator[Violation]:
    order = np.lexsort((schedule.start, schedule.link))
    same_link = schedule.link[order][1:] == schedule.link[order][:-1]
    overlap = same_link & (schedule.start[order][1:] < end[order][:-1])
    for i in order[1:][overlap]:
        yield _breach(Rule.CAPACITY, problem, schedule, int(i))


def _causality(
    problem: Problem, schedule: Schedule, arrival: NDArray[np.int64]
) -> Iterator[Violation]:
    held_from = arrival[problem.topology.src[schedule.link], schedule.chunk]
    for i in np.flatnonzero(schedule.start < held_from):
        yield _breach(Rule.CAUSALITY, problem, schedule, int(i))


def _postcondition(problem: Problem, arrival: NDArray[np.int64]) -> Iterator[Violation]:
    needs = unpack(problem.collective.needs(), problem.collective.chunks)
    for npu, chunk in np.argwhere(needs & (arrival == _NEVER)):
        yield Violation(Rule.POSTCONDITION, None, int(npu), int(chunk), None)


def _breach(rule: Rule, problem: Problem, schedule: Schedule, i: int) -> Violation:
    npu = int(problem.topology.src[schedule.link[i]])
    return Violation(rule, i, npu, int(schedule.chunk[i]), int(schedule.start[i]))
