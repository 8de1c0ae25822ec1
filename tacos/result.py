"""One run of one synthesizer, judged: verified, and set against the best lower bound."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from tacos.problem import Problem
from tacos.synthesizer import Budget, Solution, Status, Synthesizer
from tacos.units import microseconds
from tacos.verify import verify


@dataclass(frozen=True)
class Result:
    """What a run gave, once its schedule has been verified.

    Attributes
    ----------
    synthesizer : Synthesizer
        What ran, with its options.
    problem : Problem
        What it ran on.
    seed : int
        The seed it was given.
    solution : Solution
        What it handed back; status ``error`` and no schedule if that did not stand up.
    bounds : mapping of str to int
        Lower bounds on the collective time in picoseconds, by name of what proved them.
    """

    synthesizer: Synthesizer
    problem: Problem
    seed: int
    solution: Solution
    bounds: Mapping[str, int]

    @property
    def verified(self) -> bool:
        """Whether there is a schedule; none is kept that the verifier refused."""
        return self.solution.schedule is not None

    @property
    def collective_time(self) -> int | None:
        """Picoseconds until the last transfer ends, or None without a schedule."""
        schedule = self.solution.schedule
        return None if schedule is None else schedule.collective_time(self.problem.costs)

    @property
    def bound(self) -> str:
        """The name of the best lower bound."""
        return max(self.bounds, key=lambda name: self.bounds[name])

    @property
    def lower_bound(self) -> int:
        """The best lower bound in picoseconds."""
        return self.bounds[self.bound]

    @property
    def gap(self) -> float | None:
        """Collective time over the best lower bound, minus 1; 0 if there is nothing to send."""
        time = self.collective_time
        if time is None:
            return None
        return time / self.lower_bound - 1 if self.lower_bound else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the keys that ``--json`` prints (design.md, Command line)."""
        time, schedule = self.collective_time, self.solution.schedule
        return {
            "solver": self.synthesizer.name,
            "status": str(self.solution.status),
            "topology": self.problem.topology.name,
            "collective": self.problem.collective.name,
            "npus": self.problem.topology.npus,
            "links": self.problem.topology.links,
            "chunks": self.problem.collective.chunks,
            "chunk_bytes": ceil(self.problem.chunk_bytes),
            "transfers": None if schedule is None else schedule.transfers,
            "collective_time_us": None if time is None else microseconds(time),
            "lower_bound_us": microseconds(self.lower_bound),
            "bound": self.bound,
            "gap": self.gap,
            "synthesis_seconds": self.solution.wall_seconds,
            "verified": self.verified,
            "seed": self.seed,
            "trials": getattr(self.synthesizer, "trials", 1),
            "stats": dict(self.solution.stats),
        }


def run(
    synthesizer: Synthesizer,
    problem: Problem,
    budget: Budget,
    seed: int,
    bounds: Mapping[str, int],
) -> Result:
    """Synthesize, verify and set against `bounds` (as `tacos.bounds.lower_bounds` gives them).

    A synthesizer that raises, whose schedule is invalid, or that contradicts a bound gives a result
    of status ``error`` whose ``stats["reason"]`` says so; one that runs out of memory gives
    ``out_of_memory``.
    """
    try:
        synthesizer.prepare()
        solution = synthesizer.synthesize(problem, budget, seed)
    except MemoryError as error:
        reason = f"memory ran out: {error}"
        return _failed(synthesizer, problem, seed, bounds, Status.OUT_OF_MEMORY, reason)
    except Exception as error:  # a synthesizer may be anybody's code
        reason = f"{type(error).__name__}: {error}"
        return _failed(synthesizer, problem, seed, bounds, Status.ERROR, reason)
    fault = _fault(problem, solution, bounds)
    if fault:
        return _failed(synthesizer, problem, seed, bounds, Status.ERROR, fault)
    own = {} if solution.lower_bound is None else {synthesizer.name: solution.lower_bound}
    return Result(synthesizer, problem, seed, solution, {**bounds, **own})


def share_bounds(results: Sequence[Result]) -> list[Result]:
    """Give results on the same problem the bounds that any of them proved."""
    every = {name: value for result in results for name, value in result.bounds.items()}
    return [replace(result, bounds=every) for result in results]


def _failed(
    synthesizer: Synthesizer,
    problem: Problem,
    seed: int,
    bounds: Mapping[str, int],
    status: Status,
    reason: str,
) -> Result:
    return Result(synthesizer, problem, seed, Solution.without_schedule(status, reason), bounds)


def _fault(problem: Problem, solution: Solution, bounds: Mapping[str, int]) -> str | None:
    """Say what makes a solution unbelievable, if anything does."""
    if solution.schedule is None:
        return None
    verdict = verify(problem, solution.schedule)
    if not verdict.valid:
        return f"invalid schedule: {verdict.violations[0]}"
    for name, bound in bounds.items():
        if verdict.collective_time < bound:
            return f"collective time {verdict.collective_time} ps is below bound {name} {bound} ps"
    own = solution.lower_bound
    if own is not None and verdict.collective_time < own:
        return f"collective time {verdict.collective_time} ps is below its own bound {own} ps"
    if solution.status is Status.OPTIMAL and verdict.collective_time != own:
        return f"optimal at {verdict.collective_time} ps with a proof for {own} ps only"
    return None
