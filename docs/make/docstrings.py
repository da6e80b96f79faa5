"""Docstrings as Markdown: what reStructuredText and pairs of parameters become."""

import re

import griffe

REWRITE = (
    (r"(\[\d+\])_", r"\1"),  # a footnote and its text
    (r"^\.\. (\[\d+\]) ", r"\n\1 "),
    (r"::$", ":"),  # a formula follows, indented
)
PAIR = r"^((?:\w*[^\W_], )+\w*[^\W_])(\n| : .*\n)((?:    .*\n?)+)"


class Plain(griffe.Extension):
    """Rewrite docstrings before they are parsed."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring:
            text = obj.docstring.value
            for pattern, new in REWRITE:
                text = re.sub(pattern, new, text, flags=re.MULTILINE)
            obj.docstring.value = re.sub(PAIR, _each, text, flags=re.MULTILINE)


def _each(pair: re.Match[str]) -> str:
    """Give each of several parameters its own entry, and so its own default."""
    names, kind, text = pair.groups()
    return "".join(f"{name}{kind}{text.rstrip()}\n" for name in names.split(", "))
