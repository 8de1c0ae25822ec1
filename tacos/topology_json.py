"""Topologies as JSON files, the form that design.md gives."""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, FailFast, Field

from tacos.errors import InputError
from tacos.input_files import Declared
from tacos.topology import MAX_NPUS, Link, Topology
from tacos.units import BANDWIDTH, TIME, Quantity


def _printable(name: str) -> str:
    if not name.isprintable() or not name:
        raise ValueError("a name of printable characters")
    return name


def _as_text(value: object) -> object:
    """Turn a bare number into text, for `Quantity.parse` to ask for its unit."""
    return str(value) if isinstance(value, int | float) else value


Measure = Annotated[str, BeforeValidator(_as_text)]


class LinkRow(Declared):
    """One directed link; bandwidth and latency are numbers with units."""

    src: int
    dst: int
    bandwidth: Measure
    latency: Measure


class TopologyObject(Declared):
    """A topology in a file."""

    name: Annotated[str, AfterValidator(_printable)]
    npus: int = Field(ge=1, le=MAX_NPUS)
    links: Annotated[list[LinkRow], FailFast()]
    switches: int = 0


def topology_from_json(declared: TopologyObject, where: str) -> Topology:
    """Make the topology that a file declares.

    Parameters
    ----------
    declared : TopologyObject
        What the file says.
    where : str
        The file, and the field if the topology is a part of it, for messages.

    Raises
    ------
    InputError
        If there are switches, a bandwidth or latency is wrong, or a link leads from or to an NPU
        that does not exist or to itself; names the field.
    """
    if declared.switches != 0:
        found = f"{declared.switches}, and switches are not supported yet"
        raise InputError(f"{where}: switches", found, "0")
    bandwidths = _distinct(declared.links, "bandwidth", BANDWIDTH, where)
    latencies = _distinct(declared.links, "latency", TIME, where)
    links = []
    for i, row in enumerate(declared.links):
        place = f"{where}: links[{i}]"
        for field, npu in (("src", row.src), ("dst", row.dst)):
            if not 0 <= npu < declared.npus:
                raise InputError(f"{place}.{field}", str(npu), f"NPUs 0 to {declared.npus - 1}")
        if row.src == row.dst:
            found = f"leads from NPU {row.src} to itself"
            raise InputError(place, found, "links between two different NPUs")
        links.append(Link(row.src, row.dst, bandwidths[row.bandwidth], latencies[row.latency]))
    return Topology.from_links(declared.name, declared.npus, links)


def topology_to_json(topology: Topology) -> dict[str, Any]:
    """Write a topology in the form that `TopologyObject` declares, exactly."""
    columns = (topology.src, topology.dst, topology.bandwidth, topology.latency)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {
        "name": topology.name,
        "npus": topology.npus,
        "links": [
            {
                "src": src,
                "dst": dst,
                "bandwidth": BANDWIDTH.format(bandwidth),
                "latency": TIME.format(latency),
            }
            for src, dst, bandwidth, latency in rows
        ],
    }


def _distinct(rows: list[LinkRow], field: str, quantity: Quantity, where: str) -> dict[str, int]:
    """Parse each distinct text in a column of links once."""
    values: dict[str, int] = {}
    for i, row in enumerate(rows):
        text = getattr(row, field)
        if text not in values:
            values[text] = quantity.parse(text, f"{where}: links[{i}].{field}")
    return values
