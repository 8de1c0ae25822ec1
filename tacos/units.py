"""Quantities with units: read from text once, held as integers, written exactly.

Time is in picoseconds, size in bytes, bandwidth in bytes per second.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from tacos.errors import InputError, shown

LARGEST = 2**62  # leaves int64 arithmetic room for one addition
_NUMBER_AND_UNIT = re.compile(
    r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?)\s*([A-Za-z/]*)\s*", re.ASCII
)


@dataclass(frozen=True)
class Quantity:
    """A kind of measure: its name, its units in base units, its least value and an example."""

    name: str
    units: Mapping[str, Fraction]
    least: int
    example: str

    def parse(self, text: object, where: str) -> int:
        """Read text such as ``0.5us`` as base units, rounded to the nearest.

        Raises
        ------
        InputError
            If it is not a number with a known unit, or is below `least` or above 2**62 base units;
            names `where` and what is accepted.
        """
        accepted = f"a number with a unit ({', '.join(self.units)}) such as {self.example}"
        match = None
        if isinstance(text, str) and len(text) < 100:
            match = _NUMBER_AND_UNIT.fullmatch(text)
        if match is None:
            raise InputError(where, f"{shown(text)} is not a {self.name}", accepted)
        number, unit = match.groups()
        if not unit:
            raise InputError(where, f"{shown(text)} has no unit", accepted)
        if unit not in self.units:
            raise InputError(where, f"{shown(text)} has the unknown unit {unit!r}", accepted)
        value = round(Fraction(number) * self.units[unit])
        if value < self.least or number.startswith("-"):
            least = "zero or more" if self.least == 0 else "above zero"
            raise InputError(where, f"{shown(text)} is too small", f"a {self.name} {least}")
        if value > LARGEST:
            largest = f"a {self.name} of at most {self.format(LARGEST)}"
            raise InputError(where, f"{shown(text)} is too large", largest)
        return value

    def format(self, value: int) -> str:
        """Write base units exactly, in the largest unit that leaves a whole number."""
        exact = (
            (factor, unit)
            for unit, factor in self.units.items()
            if factor.denominator == 1 and value >= factor and value % factor == 0
        )
        factor, unit = max(exact, default=(1, next(iter(self.units))))
        return f"{value // factor}{unit}"


_BYTES = {
    "B": Fraction(1),
    **{f"{prefix}B": Fraction(1000**power) for power, prefix in enumerate("KMGT", start=1)},
    **{f"{prefix}iB": Fraction(1024**power) for power, prefix in enumerate("KMGT", start=1)},
}
_BITS = {
    f"{prefix}bit": Fraction(1000**power, 8)
    for power, prefix in enumerate(["", "K", "M", "G", "T"])
}

TIME = Quantity(
    "time",
    {unit: Fraction(1000**power) for power, unit in enumerate(["ps", "ns", "us", "ms", "s"])},
    least=0,
    example="0.5us",
)
SIZE = Quantity("size", _BYTES, least=1, example="1GiB")
BANDWIDTH = Quantity(
    "bandwidth",
    {f"{unit}/s": factor for unit, factor in (_BYTES | _BITS).items()},
    least=1,
    example="50GiB/s",
)


def microseconds(picoseconds: int) -> float:
    """Convert a time to the unit of tables, JSON and plots."""
    return picoseconds / 10**6
