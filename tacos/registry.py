"""Synthesizers by name, from every installed package that offers one."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from tacos.errors import InputError, shown
from tacos.synthesizer import Synthesizer

GROUP = "tacos.synthesizers"


@dataclass(frozen=True)
class Option:
    """A value that users may set on a synthesizer: its name, type and default."""

    name: str
    type: type
    default: Any

    def parse(self, text: str, where: str) -> Any:
        """Read the option's value from text.

        Raises
        ------
        InputError
            If the text is not of the option's type.
        """
        if self.type is bool:
            if text not in ("true", "false"):
                raise InputError(where, f"{self.name}={text}", "true or false")
            return text == "true"
        try:
            return self.type(text)
        except ValueError:
            found = f"{self.name}={text}"
            raise InputError(where, found, f"a value of type {self.type.__name__}") from None


@cache
def _entry_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=GROUP))}


def names() -> list[str]:
    """Return the names of all installed synthesizers, sorted."""
    return sorted(_entry_points())


def find(name: str) -> type[Synthesizer]:
    """Import the synthesizer of that name.

    Raises
    ------
    InputError
        If none is installed under that name, or its package cannot be imported.
    """
    if name not in _entry_points():
        raise InputError("solver", f"{shown(name)} is unknown", ", ".join(names()))
    point = _entry_points()[name]
    try:
        found = point.load()
    except Exception as error:  # whatever a foreign package does on import
        raise InputError("solver", f"{name} ({point.value}) cannot be loaded: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Synthesizer)):
        raise InputError("solver", f"{name} ({point.value}) is no Synthesizer")
    return found


def options(synthesizer: type[Synthesizer]) -> dict[str, Option]:
    """Return what users may set on a synthesizer, by name."""
    return {
        f.name: Option(f.name, f.type if isinstance(f.type, type) else str, f.default)
        for f in fields(synthesizer)  # type: ignore[arg-type]  # subclasses are dataclasses
        if f.default is not MISSING
    }


def create(name: str, chosen: Mapping[str, object] | None = None) -> Synthesizer:
    """Make a synthesizer with the options a user chose; text is read as the option's type.

    Raises
    ------
    InputError
        If the synthesizer or an option is unknown or a value is wrong.
    """
    synthesizer = find(name)
    known = options(synthesizer)
    values: dict[str, Any] = {}
    for key, value in (chosen or {}).items():
        if key not in known:
            accepted = ", ".join(known) or "no options"
            raise InputError(f"solver {name}", f"unknown option {shown(key)}", accepted)
        values[key] = known[key].parse(str(value), f"solver {name}")
    return synthesizer(**values)
