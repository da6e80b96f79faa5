"""Docstrings as Markdown: footnotes of reStructuredText become plain numbers."""

import re

import griffe


class PlainReferences(griffe.Extension):
    """Write ``[1]_`` and ``.. [1]`` as ``[1]``, and headings as bold text."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring:
            text = re.sub(r"(\[\d+\])_", r"\1", obj.docstring.value)
            text = re.sub(r"^\.\. (\[\d+\]) ", r"\n\1 ", text, flags=re.MULTILINE)
            text = re.sub(r"^References\n-+$", "**References**", text, flags=re.MULTILINE)
            obj.docstring.value = text
