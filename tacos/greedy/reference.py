"""The definition of the greedy: plain Python over an explicit time-expanded network."""

import random
from collections import defaultdict
from dataclasses import dataclass
from time import perf_counter

from tacos.bits import unpack
from tacos.problem import Problem
from tacos.schedule import Schedule
from tacos.synthesizer import Budget, Solution, Status, Synthesizer


class TimeExpandedNetwork:
    """The topology unrolled over time, grown slice by slice as transfers are matched.

    Its nodes are NPUs at the times when something happens. An edge is a transfer: from a link's
    source at the start to the link's destination at the end.
    """

    def __init__(self, problem: Problem) -> None:
        self._costs = problem.costs.tolist()
        self._edges: list[tuple[int, int, int]] = []  # chunk, link, start
        self._ending: dict[int, list[tuple[int, int]]] = defaultdict(list)  # end -> link, chunk
        self.free = set(range(problem.topology.links))
        self.now = 0

    def match(self, link: int, chunk: int) -> None:
        """Add the edge of a transfer that starts now."""
        self.free.remove(link)
        self._edges.append((chunk, link, self.now))
        self._ending[self.now + self._costs[link]].append((link, chunk))

    def advance(self) -> list[tuple[int, int]]:
        """Go to the next time at which transfers end, free their links and return them."""
        self.now = min(self._ending)
        ended = self._ending.pop(self.now)
        self.free.update(link for link, _ in ended)
        return ended

    def schedule(self) -> Schedule:
        """Return the transfers matched so far."""
        return Schedule.from_transfers(self._edges)


def synthesize(problem: Problem, seed: int, deadline: float = float("inf")) -> Schedule | None:
    """Match links with chunks greedily in order of time (TACOS, MICRO 2024, section IV).

    At each time, every free link, cheapest first and otherwise in random order, is matched with a
    random chunk that its source holds and its destination still needs and is not already getting.

    Parameters
    ----------
    problem : Problem
        What to realise.
    seed : int
        Seed of all choices.
    deadline : float
        Value of ``time.perf_counter()`` at which to give up.

    Returns
    -------
    Schedule or None
        None if the deadline passed first.
    """
    rng = random.Random(seed)
    topology, collective = problem.topology, problem.collective
    src, dst, costs = topology.src.tolist(), topology.dst.tolist(), problem.costs.tolist()
    held = unpack(collective.holds(), collective.chunks)
    lacked = unpack(collective.needs(), collective.chunks) & ~held
    holds = [set(row.nonzero()[0].tolist()) for row in held]
    wants = [set(row.nonzero()[0].tolist()) for row in lacked]  # needed and not on the way

    network = TimeExpandedNetwork(problem)
    while any(wants):
        if perf_counter() > deadline:
            return None
        for link in sorted(network.free, key=lambda link: (costs[link], rng.random())):
            candidates = holds[src[link]] & wants[dst[link]]
            if candidates:
                chunk = rng.choice(sorted(candidates))
                wants[dst[link]].remove(chunk)
                network.match(link, chunk)
        for link, chunk in network.advance():
            holds[dst[link]].add(chunk)
    return network.schedule()


@dataclass(frozen=True)
class ReferenceSynthesizer(Synthesizer):
    """The greedy as plain Python: slow, and the definition that the kernel is tested against."""

    name = "reference"

    def synthesize(self, problem: Problem, budget: Budget, seed: int) -> Solution:
        """Run the definition once; see `Synthesizer.synthesize`."""
        start = perf_counter()
        schedule = synthesize(problem, seed, start + budget.seconds)
        seconds = perf_counter() - start
        if schedule is None:
            return Solution.without_schedule(Status.TIMEOUT, "the clock stopped it", seconds)
        return Solution(Status.FEASIBLE, schedule, None, seconds)
