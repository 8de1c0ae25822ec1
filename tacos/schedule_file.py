"""The file that `tacos synth -o` writes and `tacos verify` reads."""

import json
import os
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import FailFast, Field

from tacos.collective import make_collective
from tacos.errors import InputError
from tacos.input_files import MAX_BYTES, Declared, parse_json, read_text, validated
from tacos.problem import Problem
from tacos.schedule import Schedule
from tacos.topology_json import Measure, TopologyObject, topology_from_json, topology_to_json
from tacos.units import SIZE

_Int32Column = Annotated[list[Annotated[int, Field(ge=0, le=2**31 - 1)]], FailFast()]
_Int64Column = Annotated[list[Annotated[int, Field(ge=0, le=2**63 - 1)]], FailFast()]


class CollectiveObject(Declared):
    """A collective, as the command line names it."""

    name: str
    size: Measure
    chunks: int = Field(ge=1)
    root: int | None


class SynthesizerObject(Declared):
    """What made the schedule."""

    name: str
    seed: int = Field(ge=0)


class TransfersObject(Declared):
    """The columns of a schedule; links are numbered as the file lists them, starts are in ps."""

    chunk: _Int32Column
    link: _Int32Column
    start_ps: _Int64Column


class ScheduleObject(Declared):
    """A schedule file."""

    format: Literal["tacos-schedule"]
    version: Literal[1]
    topology: TopologyObject
    collective: CollectiveObject
    synthesizer: SynthesizerObject
    transfers: TransfersObject


def write_schedule(
    path: Path, problem: Problem, schedule: Schedule, solver: str, seed: int
) -> None:
    """Write a schedule and the problem it is for; either the whole file appears or none.

    Parameters
    ----------
    path : Path
        A file, which is replaced, or a device or pipe.
    problem : Problem
        What the schedule realises.
    schedule : Schedule
        Its transfers.
    solver : str
        The name of the synthesizer.
    seed : int
        The seed it was given.

    Raises
    ------
    InputError
        If the file cannot be written, or would be larger than `read_schedule` reads; names it.
    """
    collective = problem.collective
    content = {
        "format": "tacos-schedule",
        "version": 1,
        "topology": topology_to_json(problem.topology),
        "collective": {
            "name": collective.name,
            "size": SIZE.format(problem.size),
            "chunks": collective.split,
            "root": collective.root,
        },
        "synthesizer": {"name": solver, "seed": seed},
        "transfers": {
            "chunk": schedule.chunk.tolist(),
            "link": schedule.link.tolist(),
            "start_ps": schedule.start.tolist(),
        },
    }
    text = json.dumps(content, separators=(",", ":")) + "\n"  # ASCII
    if len(text) > MAX_BYTES:
        found = f"the schedule would take {len(text) >> 20} MiB"
        raise InputError(str(path), found, f"at most {MAX_BYTES >> 20} MiB")
    try:
        _write_whole(path, text)
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {error.strerror}") from None


def read_schedule(path: Path) -> tuple[Problem, Schedule]:
    """Read a schedule file; whether the schedule is valid is for `tacos.verify` to say.

    Raises
    ------
    InputError
        If the file is malformed; names the file and the field.
    """
    where = str(path)
    declared = validated(ScheduleObject, parse_json(read_text(path), where), where)
    problem = _problem(declared, where)
    columns = declared.transfers
    for name in ("link", "start_ps"):
        values = len(getattr(columns, name))
        if values != len(columns.chunk):
            found = f"{values} values for {len(columns.chunk)} chunks"
            raise InputError(f"{where}: transfers.{name}", found, "as many as transfers.chunk has")
    schedule = Schedule(
        np.array(columns.chunk, dtype=np.int32),
        _link_ids(np.array(columns.link, dtype=np.int32), declared.topology),
        np.array(columns.start_ps, dtype=np.int64),
    )
    return problem, schedule


def _problem(declared: ScheduleObject, where: str) -> Problem:
    topology = topology_from_json(declared.topology, f"{where}: topology")
    given = declared.collective
    size = SIZE.parse(given.size, f"{where}: collective.size")
    try:
        collective = make_collective(given.name, topology.npus, given.chunks, given.root)
        return Problem(topology, collective, collective.chunk_bytes(size))
    except InputError as error:  # it names the option of `synth` that would be wrong
        raise type(error)(where, str(error)) from None


def _link_ids(listed: NDArray[np.int32], topology: TopologyObject) -> NDArray[np.int32]:
    """Turn places in the file's list of links into the topology's numbers of links.

    They are the same in files that `write_schedule` wrote. Numbers of no link stay as they are.
    """
    order = np.argsort([link.dst for link in topology.links], kind="stable")
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order))
    exists = listed < len(order)
    listed[exists] = number[listed[exists]]
    return listed


def _write_whole(path: Path, text: str) -> None:
    if path.exists() and not path.is_file():  # nothing that could be replaced
        path.write_text(text, encoding="ascii")
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    part = target.with_name(f".{os.getpid()}.{target.name[:100]}.part")
    try:
        with part.open("x", encoding="ascii") as file:
            file.write(text)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
