"""Render a summary as one self-contained HTML file."""

import base64
import hashlib
import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from leantopics._words import counted
from leantopics.corpus import Corpus
from leantopics.report import charts
from leantopics.report.summarise import summarise

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel


def to_html(
    model: "ParsimoniousTopicModel", corpus: Corpus | None = None, **options: Any
) -> str:
    """Return the report of a model as an HTML page.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        A fitted model.
    corpus : Corpus, optional
        Documents to show with their topics: the ones of the fit, or others.
    **options
        Options of `summarise`: ``title``, ``others``, ``n_documents``, ``by``,
        ``period`` and ``codebook``.

    Examples
    --------
    >>> from leantopics import ParsimoniousTopicModel, make_corpus
    >>> corpus, _ = make_corpus(60, 100, 3)
    >>> model = ParsimoniousTopicModel(3, random_state=0).fit(corpus)
    >>> to_html(model, corpus).startswith("<!DOCTYPE html>")
    True
    """
    return render(summarise(model, corpus, **options))


def render(summary: dict[str, Any]) -> str:
    """Render a summary as an HTML page.

    No text of the summary can become markup: the template escapes all of it, and the
    data for the script are in an element that browsers do not run, without a less-than
    sign. A policy in the page allows only our own script and style, by their checksums,
    and only pictures inside the page, if there are any.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("leantopics.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = charts.number
    environment.filters["counted"] = counted
    environment.filters["share"] = charts.share
    style, script = _asset("style.css"), _asset("script.js")
    return environment.get_template("page.html").render(
        **summary,
        curve=charts.curve(summary["answer"]),
        lines=summary["lineage"] and charts.lineage(summary["lineage"]),
        trends=summary["groups"] and charts.trends(summary["groups"]),
        hue=charts.hue,
        style=style,
        script=script,
        style_hash=_checksum(style),
        script_hash=_checksum(script),
        data=embed(
            {
                **{
                    name: summary[name]
                    for name in (
                        "topics",
                        "words",
                        "patches",
                        "vocabulary",
                        "documents",
                    )
                },
                "repeats": summary["stability"] and summary["stability"]["repeats"],
            }
        ),
    )


def embed(data: object) -> str:
    r"""Return JSON that cannot close the element that holds it.

    Examples
    --------
    >>> embed("</script>")
    '"\\u003c/script>"'
    """
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for sign in ("<", "\u2028", "\u2029"):
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.encode(errors="replace").decode()


def _asset(name: str) -> str:
    return (files("leantopics.report") / "templates" / name).read_text("utf-8")


def _checksum(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
