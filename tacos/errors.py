"""What can go wrong by the user's doing."""


class InputError(ValueError):
    """A file, an argument or a topology is wrong.

    The message is one line that names where the mistake is, what was found and what is accepted.

    Parameters
    ----------
    where : str
        The file and field, or the argument, that is wrong.
    found : str
        What is wrong with it.
    accepted : str, optional
        What would be right.
    """

    def __init__(self, where: str, found: str, accepted: str = "") -> None:
        message = f"{where}: {found}" + (f"; accepted: {accepted}" if accepted else "")
        super().__init__("".join(c if c.isprintable() else " " for c in message))


class UnreachableError(InputError):
    """An NPU needs a chunk that no path brings to it."""


def shown(value: object, limit: int = 60) -> str:
    """Quote a value from outside for a message, cut to `limit` characters."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
