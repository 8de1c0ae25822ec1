"""Topologies from what a user types: a spec such as ``mesh:5x5``, or the path of a file."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tacos import shapes
from tacos.errors import InputError, shown
from tacos.link_values import LinkValues
from tacos.topology import MAX_NPUS, Topology
from tacos.topology_files import read_topology
from tacos.units import BANDWIDTH, TIME


@dataclass(frozen=True)
class Family:
    """Topologies of one shape.

    Attributes
    ----------
    form : str
        What a user types, as in ``mesh:AxB...``.
    example : str
        One spec.
    meaning : str
        What it is, in a sentence.
    build : callable
        Takes the spec and its arguments (the texts between colons), bandwidth and latency.
    bandwidth, latency : str
        What its links have unless the user says otherwise.
    """

    form: str
    example: str
    meaning: str
    build: Callable[[str, Sequence[str], LinkValues, LinkValues], Topology]
    bandwidth: str = "50GiB/s"
    latency: str = "0.5us"


def load_topology(text: str, bandwidth: str | None = None, latency: str | None = None) -> Topology:
    """Make the topology that a spec or the path of a file names.

    Parameters
    ----------
    text : str
        A spec (`FAMILIES`) or the path of a file of any known format; a spec wins.
    bandwidth, latency : str, optional
        As `tacos.link_values.LinkValues` reads them; by default the family's or format's own.

    Raises
    ------
    InputError
        If the spec, the file or a value is wrong.
    """
    family = FAMILIES.get(text.split(":")[0])
    if family is None:
        if not os.path.exists(text):  # unlike Path.exists, says no to any text
            accepted = ", ".join(f.form for f in FAMILIES.values())
            found = f"{shown(text)} is neither a known spec nor a file"
            raise InputError("topology", found, f"{accepted}, or the path of a topology file")
        return read_topology(Path(text), bandwidth, latency)
    return family.build(
        text,
        text.split(":")[1:],
        LinkValues.parse(
            family.bandwidth if bandwidth is None else bandwidth, BANDWIDTH, "--bandwidth"
        ),
        LinkValues.parse(family.latency if latency is None else latency, TIME, "--latency"),
    )


def _mesh(spec: str, args: Sequence[str], bandwidth: LinkValues, latency: LinkValues) -> Topology:
    dims = _sizes(spec, args)
    return shapes.mesh(spec, dims, bandwidth.each(len(dims)), latency.each(len(dims)))


def _torus(spec: str, args: Sequence[str], bandwidth: LinkValues, latency: LinkValues) -> Topology:
    doubled = args[1:] == ["doubled"]
    dims = _sizes(spec, args[:1] if doubled else args)
    return shapes.torus(spec, dims, bandwidth.each(len(dims)), latency.each(len(dims)), doubled)


def _line(spec: str, args: Sequence[str], bandwidth: LinkValues, latency: LinkValues) -> Topology:
    return shapes.mesh(spec, [_number(spec, args)], bandwidth.each(1), latency.each(1))


def _ring(spec: str, args: Sequence[str], bandwidth: LinkValues, latency: LinkValues) -> Topology:
    return shapes.torus(spec, [_number(spec, args)], bandwidth.each(1), latency.each(1))


def _hypercube(
    spec: str, args: Sequence[str], bandwidth: LinkValues, latency: LinkValues
) -> Topology:
    n = _number(spec, args, least=0)
    if n > MAX_NPUS.bit_length():
        raise InputError(f"topology {spec}", f"2**{n} NPUs", f"1 to {MAX_NPUS} NPUs")
    return shapes.mesh(spec, [2] * n, bandwidth.each(n), latency.each(n))


def _full(spec: str, args: Sequence[str], bandwidth: LinkValues, latency: LinkValues) -> Topology:
    npus = _number(spec, args)
    return shapes.fully_connected(spec, npus, *bandwidth.each(1), *latency.each(1))


def _dgx1(spec: str, args: Sequence[str], bandwidth: LinkValues, latency: LinkValues) -> Topology:
    if args:
        raise InputError(f"topology {spec}", "dgx1 has no arguments", "dgx1")
    return shapes.dgx1(spec, *bandwidth.each(1), *latency.each(1))


FAMILIES = {
    "ring": Family("ring:N", "ring:8", "N NPUs in a ring, linked both ways", _ring),
    "line": Family("line:N", "line:8", "N NPUs in a line, linked both ways", _line),
    "mesh": Family(
        "mesh:AxB...",
        "mesh:5x5",
        "a grid, each NPU linked both ways with the next in each dimension; the first dimension "
        "varies fastest",
        _mesh,
    ),
    "torus": Family(
        "torus:AxB...[:doubled]",
        "torus:4x4x4",
        "a mesh that wraps around; in a dimension of size 2 a pair has one link each way, or two "
        "with :doubled",
        _torus,
    ),
    "hypercube": Family(
        "hypercube:D", "hypercube:6", "binary hypercube of 2**D NPUs and D dimensions", _hypercube
    ),
    "full": Family("full:N", "full:8", "a link from each of N NPUs to every other", _full),
    "dgx1": Family(
        "dgx1",
        "dgx1",
        "NVIDIA DGX-1 (V100), 8 GPUs; --bandwidth is that of one NVLink each way",
        _dgx1,
        bandwidth="25GB/s",
        latency="0.7us",
    ),
}


def _sizes(spec: str, args: Sequence[str]) -> list[int]:
    """Read the sizes of ``AxBxC``."""
    form = FAMILIES[spec.split(":")[0]].form
    if len(args) != 1 or not re.fullmatch(r"[1-9][0-9]{0,8}(x[1-9][0-9]{0,8}){0,31}", args[0]):
        raise InputError(f"topology {shown(spec)}", "wrong sizes", f"{form} with sizes from 1")
    return [int(size) for size in args[0].split("x")]


def _number(spec: str, args: Sequence[str], least: int = 1) -> int:
    """Read the one number a spec takes."""
    form = FAMILIES[spec.split(":")[0]].form
    text = args[0] if len(args) == 1 else ""
    if not re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) or int(text) < least:
        raise InputError(
            f"topology {shown(spec)}", "wrong size", f"{form} with a size from {least}"
        )
    return int(text)
