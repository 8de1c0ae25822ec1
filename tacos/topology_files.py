"""Topologies from files of any known format, which is told by the content."""

from pathlib import Path

from tacos.errors import InputError, shown
from tacos.nvidia_smi import looks_like_nvidia_smi, parse_nvidia_smi
from tacos.topology import Topology

FORMATS = (
    'JSON such as {"name": "pair", "npus": 2, "links": [{"src": 0, "dst": 1, '
    '"bandwidth": "25GB/s", "latency": "0.7us"}]}, or what `nvidia-smi topo -m` prints'
)


def read_topology(path: Path, bandwidth: str | None, latency: str | None) -> Topology:
    """Read a topology file.

    Parameters
    ----------
    path : Path
        JSON (`tacos.topology_json`) or the output of `nvidia-smi topo -m` (`tacos.nvidia_smi`).
    bandwidth, latency : str or None
        As `tacos.link_values.LinkValues` reads them; None for the format's own.

    Raises
    ------
    InputError
        If the file is of neither format or wrong, or a value is given for a file that states its
        own; names the file and the place in it.
    """
    # pydantic takes long to import, and specs need none of it.
    from tacos.input_files import parse_json, read_text, validated
    from tacos.topology_json import TopologyObject, topology_from_json

    text = read_text(path)
    if text.lstrip().startswith("{"):
        for option, value in (("--bandwidth", bandwidth), ("--latency", latency)):
            if value is not None:
                found = f"{shown(value)} for {path}, which states its own"
                raise InputError(option, found, "a value with a spec or an nvidia-smi file")
        declared = validated(TopologyObject, parse_json(text, str(path)), str(path))
        return topology_from_json(declared, str(path))
    if looks_like_nvidia_smi(text):
        return parse_nvidia_smi(text, path, bandwidth, latency)
    raise InputError(str(path), f"starts with {shown(text.strip()[:40])}", FORMATS)
