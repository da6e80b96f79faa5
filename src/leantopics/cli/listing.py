"""The short form of topics: a line for each, and one for the finer topics below it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from leantopics._words import counted, plain

if TYPE_CHECKING:
    from rich.text import Text

_PIPE_WIDTH = 80
_MOST = 40
"""Most themes or topics listed; the rest are only counted."""


def width() -> int:
    """Return the width of the terminal, or that of lines in a pipe."""
    from rich.console import Console

    console = Console()
    return console.width if console.is_terminal else _PIPE_WIDTH


def topic_lines(document: dict[str, Any], more: str = "") -> "Iterator[Text]":
    """Yield a line for each large topic, and one for the finer topics below it.

    Parameters
    ----------
    document : dict
        What `themes_document` or `topics_document` returns.
    more : str
        How to see the others, if some are not listed.
    """
    from rich.text import Text

    kind = "theme" if "themes" in document else "topic"
    listed, room = document[f"{kind}s"], width()
    yield Text(f"{kind}  share  name: more words", style="bold")
    for topic in listed[:_MOST]:
        yield _line(topic, topic[kind], room)
        if kind == "theme":
            yield Text(_below(topic["topics"], room), style="dim")
    if len(listed) > _MOST:
        yield Text(f"{'':14}and {len(listed) - _MOST} more{more}", style="dim")


def print_lines(lines: "Iterator[Text]") -> None:
    """Print lines as they are, also if they are longer than the terminal is wide."""
    from rich.console import Console

    console = Console(highlight=False)
    for line in lines:
        console.print(line, no_wrap=True, overflow="ignore", crop=False)


def _line(topic: dict[str, Any], number: int, room: int) -> "Text":
    """Return number, share and name of a topic, and the words its name does not have.

    There are as many words as fit.
    """
    from rich.text import Text

    name = plain(topic["name"])
    named = set(name.casefold().split())
    words = [entry["word"] for entry in topic["words"]]
    start = f"{number:5}  {topic['share']:5.1%}  {name}"
    rest = [word for word in words if not set(word.casefold().split()) <= named]
    text, _ = _filled(f"{start}:", rest, " ", room)
    line = Text(text.removesuffix(":"))
    line.stylize("cyan", len(start) - len(name), len(start))
    return line


def _below(topics: Sequence[dict[str, Any]], room: int) -> str:
    """Return the names of as many finer topics as fit, and the number of the others."""
    if not topics:
        return f"{'':14}no topics of its own"
    start = f"{'':14}{counted(len(topics), 'topic')}:"
    names = [plain(topic["name"]) for topic in topics]
    line, n = _filled(start, names, ", ", room)
    if n < len(names):
        end = f" and {len(names) - n} more"
        line, n = _filled(start, names, ", ", room - len(end) - 1)
        line += f" and {len(names) - n} more"
    return line


def _filled(
    line: str, parts: Sequence[str], separator: str, room: int
) -> tuple[str, int]:
    """Return a line with as many parts at its end as fit, and their number."""
    from rich.cells import cell_len

    for n, part in enumerate(parts):
        longer = f"{line}{separator if n else ' '}{part}"
        if cell_len(longer) > room:
            return line, n
        line = longer
    return line, len(parts)
