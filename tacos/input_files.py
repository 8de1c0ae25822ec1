"""Files that users hand in: their text, and JSON that must be as declared."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from tacos.errors import InputError, shown

MAX_BYTES = 256 * 2**20


class Declared(BaseModel):
    """An object in a file: every key is declared, no value is converted."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


_Model = TypeVar("_Model", bound=BaseModel)


def read_text(path: Path) -> str:
    """Read a file of UTF-8 text, with or without a byte order mark.

    Raises
    ------
    InputError
        If it cannot be read, is larger than MAX_BYTES, is empty or is not text; names the file.
    """
    too_large = InputError(str(path), "the file is too large", f"at most {MAX_BYTES >> 20} MiB")
    try:
        with path.open("rb") as file:
            if path.stat().st_size > MAX_BYTES:
                raise too_large
            content = file.read(MAX_BYTES + 1)  # a pipe does not tell its size
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise too_large
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"byte {error.start} is not UTF-8 text"
        raise InputError(str(path), found, "UTF-8 text") from None
    if not text.strip():
        raise InputError(str(path), "the file is empty", "UTF-8 text")
    return text


def parse_json(text: str, where: str) -> object:
    """Parse JSON of finite numbers and objects without repeated keys.

    Raises
    ------
    InputError
        If the text is anything else; names `where` and the place.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=partial(_object, where),
            parse_constant=partial(_refuse_constant, where),
        )
    except InputError:
        raise
    except json.JSONDecodeError as error:
        place = f"{where}: line {error.lineno}, column {error.colno}"
        raise InputError(place, f"not JSON: {error.msg}", "complete JSON") from None
    except RecursionError:
        raise InputError(where, "nested too deeply", "JSON of a few levels") from None
    except ValueError:  # Python's limit on the digits of an integer
        raise InputError(where, "a number has thousands of digits", "64-bit numbers") from None


def validated(model: type[_Model], data: object, where: str) -> _Model:
    """Check data from a file against its declaration.

    Raises
    ------
    InputError
        If it differs; names `where` and the first field that is wrong, such as ``links[3].dst``.
    """
    try:
        return model.model_validate(data)
    except ValidationError as failure:
        error = failure.errors(include_url=False)[0]
    outer = error["loc"][:-1]
    place = f"{where}: {_path(error['loc'])}" if error["loc"] else where
    if error["type"] == "missing":
        raise InputError(place, "missing", f"an object with {_keys(model, outer)}")
    if error["type"] == "extra_forbidden":
        raise InputError(place, "unknown key", _keys(model, outer))
    accepted = error["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    raise InputError(place, _shown(error["input"]), accepted)


def _object(where: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise InputError(where, f"key {shown(repeated)} is given twice", "each key once")
    return keys


def _refuse_constant(where: str, constant: str) -> None:
    raise InputError(where, f"{constant} is not a number", "finite numbers")


def _path(steps: Sequence[int | str]) -> str:
    """Write the place of a value as ``links[3].dst``."""
    parts = [f"[{step}]" if isinstance(step, int) else f".{_key(step)}" for step in steps]
    return "".join(parts).removeprefix(".")


def _key(key: str) -> str:
    return key if key.isidentifier() and len(key) < 60 else shown(key)


def _keys(model: Any, steps: Sequence[int | str]) -> str:
    """List the keys declared for the object at a place inside `model`."""
    for step in steps:
        is_item = isinstance(step, int)
        model = get_args(model)[0] if is_item else model.model_fields[step].annotation
    return ", ".join(model.model_fields)


def _shown(value: object) -> str:
    """Show a value without walking into what may be large or deep."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return shown(value)
