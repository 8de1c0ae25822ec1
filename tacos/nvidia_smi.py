"""Topologies as `nvidia-smi topo -m` prints them, pasted as users paste them."""

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from tacos.errors import InputError, shown
from tacos.link_values import LinkValues
from tacos.topology import Link, Topology
from tacos.units import BANDWIDTH, TIME

NVLINK_BANDWIDTH = "25GB/s"
"""Of one NVLink in one direction: the same on V100, A100 and H100, which differ in their number."""
LATENCY = "0.7us"

CLASSES = ("NV", "PIX", "PXB", "PHB", "NODE", "SYS", "SOC")
_CELLS = "X, NV1, NV2, ..., " + ", ".join(CLASSES[1:])
_CELL = re.compile(rf"X|NV(?P<bonded>[1-9]\d{{0,3}})|{'|'.join(CLASSES[1:])}", re.ASCII)
_GPU = re.compile(r"GPU\d+", re.ASCII)
_ESCAPE = re.compile(r"(?:\x1b|\^\[)?\[[\d;]*[mK]", re.ASCII)  # copied with or without ESC
_AFFINITY = {"CPU", "NUMA", "GPU"}  # first words of the columns after the devices

_Rows = dict[str, tuple[int, list[str]]]


def looks_like_nvidia_smi(text: str) -> bool:
    """Say whether a text is more likely from nvidia-smi than from anything else."""
    return re.search(r"\bGPU\s?\d|nvidia-smi|NVLink|CPU Affinity", text) is not None


def parse_nvidia_smi(text: str, path: Path, bandwidth: str | None, latency: str | None) -> Topology:
    """Make a topology of the GPUs of a matrix; network cards and affinities are left out.

    GPU i is the i-th column of a GPU. NVn in row a and column b, n bonded NVLinks, is one link
    a -> b of n times the bandwidth of one. GPUs that are joined by other means are not connected,
    unless their class (``SYS``, ...) is given a bandwidth.

    Parameters
    ----------
    text : str
        What was pasted; anything before the header and after the legend's title is ignored.
    path : Path
        The file it is from; its stem is the topology's name.
    bandwidth : str or None
        ``25GB/s`` for one NVLink in one direction, or by class: ``NV=25GB/s,SYS=8GB/s``. By
        default NVLINK_BANDWIDTH, and no other class.
    latency : str or None
        One for all links, or by class; by default LATENCY.

    Raises
    ------
    InputError
        If there is no GPU, a row is missing, repeated or cut off, a cell is unknown, or a value is
        wrong; names the file and the line.
    """
    speeds = {"NV": BANDWIDTH.parse(NVLINK_BANDWIDTH, "")}
    if bandwidth is not None:
        values = LinkValues.parse(bandwidth, BANDWIDTH, "--bandwidth")
        speeds |= values.per_class(CLASSES, plain=["NV"])
    delays = dict.fromkeys(CLASSES, TIME.parse(LATENCY, ""))
    if latency is not None:
        delays |= LinkValues.parse(latency, TIME, "--latency").per_class(CLASSES, plain=CLASSES)
    matrix = _matrix(text, str(path))
    links = []
    for src, row in enumerate(matrix):
        for dst, cell in enumerate(row):
            count, kind = (int(cell[2:]), "NV") if cell.startswith("NV") else (1, cell)
            if kind in speeds:
                links.append(Link(src, dst, count * speeds[kind], delays[kind]))
    name = "".join(c if c.isprintable() else "?" for c in path.stem)
    return Topology.from_links(name, len(matrix), links)


def _matrix(text: str, where: str) -> list[list[str]]:
    """Return the cells between GPUs, one row a GPU."""
    lines = _lines(text)
    header = _header(lines, where)
    gpus = [name for name in header if _GPU.fullmatch(name)]
    rows = _rows(lines, header, where)
    for gpu in gpus:
        if gpu not in rows:
            raise InputError(where, f"no row for {gpu}", f"a row for each of {len(gpus)} GPUs")
    columns = [header.index(gpu) for gpu in gpus]
    return [_cells(gpu, *rows[gpu], columns, header, where) for gpu in gpus]


def _header(lines: Iterator[tuple[int, list[str]]], where: str) -> list[str]:
    """Take lines up to the header, and return the devices it names."""
    for number, words in lines:
        if not _GPU.fullmatch(words[0]):
            continue
        devices = list(takewhile(lambda word: word not in _AFFINITY, words))
        place = f"{where}: line {number}"
        if any(_CELL.fullmatch(word) for word in devices):
            raise InputError(place, "a row before the header", "a header with the GPUs' names")
        if len(set(devices)) < len(devices):
            raise InputError(place, "a column is repeated", "a header with each name once")
        return devices
    raise InputError(where, "no line starts with a GPU such as GPU0", "`nvidia-smi topo -m`")


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the words of each line that has any, up to the legend."""
    for number, line in enumerate(text.split("\n"), start=1):
        words = _ESCAPE.sub("", line).split()
        if words[:1] == ["Legend:"]:
            return
        if words:
            yield number, words


def _rows(lines: Iterator[tuple[int, list[str]]], header: list[str], where: str) -> _Rows:
    """Collect the rows of GPUs, by name."""
    rows: _Rows = {}
    for number, (name, *words) in lines:
        if not _GPU.fullmatch(name):
            continue
        place = f"{where}: line {number}"
        if name in rows:
            raise InputError(place, f"the row {name} is repeated", "one row for each GPU")
        if name not in header:
            found = f"the row {shown(name)} has no column"
            raise InputError(place, found, "rows of GPUs that the header names")
        if len(words) < len(header):
            found = f"the row {name} is cut off after {len(words)} of {len(header)} cells"
            raise InputError(place, found, "a cell for each column of the header")
        rows[name] = number, words
    return rows


def _cells(
    gpu: str, number: int, words: list[str], columns: list[int], header: list[str], where: str
) -> list[str]:
    """Return the cells of a row in the columns of GPUs, X where the row meets its column."""
    for column in columns:
        cell = words[column]
        place = f"{where}: line {number}: row {gpu}, column {header[column]}"
        if not _CELL.fullmatch(cell):
            raise InputError(place, f"{shown(cell)} is unknown", _CELLS)
        if (cell == "X") != (header[column] == gpu):
            raise InputError(place, f"{cell}, so a cell is missing or moved", "X on the diagonal")
    return [words[column] for column in columns]
