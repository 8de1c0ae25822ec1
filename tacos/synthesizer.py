"""The interface that everything which finds schedules implements."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from tacos.problem import Problem
from tacos.schedule import Schedule


class Status(StrEnum):
    """How a synthesis ended."""

    OPTIMAL = "optimal"
    """A schedule, and a proof that none is shorter."""
    FEASIBLE = "feasible"
    """A schedule."""
    INFEASIBLE = "infeasible"
    """A proof that there is no schedule."""
    TIMEOUT = "timeout"
    """No schedule within the budget's seconds."""
    OUT_OF_MEMORY = "out_of_memory"
    """No schedule within the budget's memory."""
    UNSUPPORTED = "unsupported"
    """The synthesizer does not do such problems; ``stats["reason"]`` says why."""
    ERROR = "error"
    """The synthesizer failed; ``stats["reason"]`` says how."""

    @property
    def has_schedule(self) -> bool:
        """Whether a schedule comes with this status."""
        return self in (Status.OPTIMAL, Status.FEASIBLE)


@dataclass(frozen=True)
class Budget:
    """What a synthesizer may use.

    Parameters
    ----------
    seconds : float
        Wall time, model building included and compilation of kernels not.
    memory_bytes : int, optional
        Memory beyond what the process already has; by default all of the machine's.
    threads : int
        Threads; the same seed and threads give the same schedule.
    """

    seconds: float = 60.0
    memory_bytes: int = field(
        default_factory=lambda: os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    )
    threads: int = 1


@dataclass(frozen=True)
class Solution:
    """What a synthesizer hands back.

    Parameters
    ----------
    status : Status
        How it ended.
    schedule : Schedule or None
        The best schedule found; there is one exactly if ``status.has_schedule``.
    lower_bound : int or None
        Picoseconds that the synthesizer proved no schedule can beat; None if it proved nothing.
    wall_seconds : float
        Time spent in `Synthesizer.synthesize`.
    stats : mapping
        What is particular to the synthesizer, ready for JSON.
    """

    status: Status
    schedule: Schedule | None
    lower_bound: int | None
    wall_seconds: float
    stats: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.schedule is not None) != self.status.has_schedule:
            raise ValueError(f"a solution that is {self.status} with schedule {self.schedule}")

    @classmethod
    def without_schedule(
        cls, status: Status, reason: str, wall_seconds: float = 0.0, lower_bound: int | None = None
    ) -> "Solution":
        """Report that there is no schedule, and why."""
        return cls(status, None, lower_bound, wall_seconds, {"reason": reason})


class Synthesizer(ABC):
    """Turns a problem into a schedule.

    A subclass is a frozen dataclass: its fields are the options that users may set by name (on the
    command line, in studies), each with a default and a type of int, float, str or bool, and its
    docstring's first line is what ``tacos solvers`` prints.
    """

    name: ClassVar[str]

    def prepare(self) -> None:
        """Do what must not be timed, such as compiling kernels. Called once before `synthesize`."""

    @abstractmethod
    def synthesize(self, problem: Problem, budget: Budget, seed: int) -> Solution:
        """Look for a schedule.

        Takes every limit from `budget` and all chance from `seed`; prints nothing, changes no
        global state and does not verify itself. The same seed and thread count give the same
        schedule, unless the clock stops the search, which ``stats["stopped_by_clock"]`` then says.

        Parameters
        ----------
        problem : Problem
            What to realise.
        budget : Budget
            What may be used.
        seed : int
            Not negative.
        """
