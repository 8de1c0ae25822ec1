"""A bandwidth or latency for the links of a topology, as a user gives it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tacos.errors import InputError, shown
from tacos.units import Quantity


@dataclass(frozen=True)
class LinkValues:
    """One value, one a dimension, or one a link class.

    Written ``50GiB/s``, or ``80GiB/s,35GiB/s`` in the order of the dimensions, or
    ``NV=25GB/s,SYS=8GB/s`` by class; values without a class come first.

    Attributes
    ----------
    where : str
        The option, for messages.
    in_order : tuple of int
        Values without a class, in base units.
    by_class : mapping of str to int
        Values by the name of a link class.
    """

    where: str
    in_order: tuple[int, ...]
    by_class: Mapping[str, int]

    @classmethod
    def parse(cls, text: str, quantity: Quantity, where: str) -> "LinkValues":
        """Read comma-separated values.

        Raises
        ------
        InputError
            If a value is wrong, or a class is named twice.
        """
        in_order: list[int] = []
        by_class: dict[str, int] = {}
        for item in text.split(","):
            name, equals, value = item.rpartition("=")
            if not equals:
                in_order.append(quantity.parse(item, where))
            elif name.strip() in by_class:
                raise InputError(where, f"class {name.strip()} is given twice", "once each")
            else:
                by_class[name.strip()] = quantity.parse(value, where)
        return cls(where, tuple(in_order), by_class)

    def each(self, dimensions: int) -> tuple[int, ...]:
        """Return one value a dimension, repeating a single one.

        Raises
        ------
        InputError
            If there are neither one nor `dimensions` values, or some by class.
        """
        if self.by_class:
            named = ", ".join(self.by_class)
            raise InputError(self.where, f"class {named} for a topology without classes", "a value")
        if len(self.in_order) == 1:
            return self.in_order * dimensions
        if len(self.in_order) != dimensions:
            accepted = "one value" if dimensions == 1 else f"one value or {dimensions}"
            raise InputError(
                self.where, f"{len(self.in_order)} values for {dimensions} dimensions", accepted
            )
        return self.in_order

    def per_class(self, known: Collection[str], plain: Collection[str]) -> dict[str, int]:
        """Return the values by link class; one without a class is for the classes `plain`.

        Raises
        ------
        InputError
            If a class is not among `known`, there are several values without a class, or one that
            every class it is for overrides.
        """
        for name in self.by_class:
            if name not in known:
                raise InputError(self.where, f"class {shown(name)} is unknown", ", ".join(known))
        if len(self.in_order) > 1:
            found = f"{len(self.in_order)} values without a class"
            raise InputError(self.where, found, "one value, and any as CLASS=VALUE")
        if self.in_order and self.by_class.keys() >= set(plain):
            found = f"a value without a class, which is for {', '.join(plain)}, and one for it"
            raise InputError(self.where, found, "one value for each class")
        return {**{name: value for value in self.in_order for name in plain}, **self.by_class}
