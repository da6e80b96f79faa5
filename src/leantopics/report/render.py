"""Render a summary as one self-contained HTML file."""

import base64
import hashlib
import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from leantopics._card import percent
from leantopics._words import counted
from leantopics.corpus import Corpus
from leantopics.report import charts
from leantopics.report.packing import pack
from leantopics.report.palette import as_css
from leantopics.report.summarise import summarise
from leantopics.report.terms import TERMS

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
    style, script = page_style(), _assets("script")
    answer, finer, tree = summary["answer"], summary["finer"], summary["tree"]
    many = tree is not None and len(tree["prices"]) > 1
    themes = summary["stability"] and summary["stability"]["repeats"]
    own = summary["finer_stability"] and summary["finer_stability"]["repeats"]
    repeats = own if finer else themes
    opens = _opening(summary)
    own_data = {"repeats": themes, "topicRepeats": repeats, "opens": opens}
    data = {**pack(summary), **own_data}
    page: str = template("page.html").render(
        **summary,
        curve=charts.curve(answer),
        finer_curve=finer and charts.curve(finer),
        joins=charts.joins(tree["prices"], summary["cut"]) if many else None,
        opens=opens,
        largest=_largest(summary),
        left_out=data["vocabulary"]["left_out"],
        repeats=repeats,
        terms=TERMS,
        style=style,
        script=script,
        style_hash=checksum(style),
        script_hash=checksum(script),
        data=embed(data),
    )
    return page


def _opening(summary: dict[str, Any]) -> str:
    """Return what the page opens with: its themes that have topics, or groups."""
    cut, themes = summary["cut"], summary["themes"]
    if not themes:
        return counted(cut, "group")
    few = "" if cut == len(themes) else f"{cut} of "
    return few + counted(len(themes), "theme")


def template(name: str) -> Any:
    """Return a template that escapes all texts and refuses what it is not given."""
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
    environment.filters["share"] = percent
    return environment.get_template(name)


def page_style() -> str:
    """Return the style of a page."""
    return as_css() + _assets("style")


def _largest(summary: dict[str, Any], n: int = 3) -> list[dict[str, Any]]:
    """Return name, share and address of the largest themes or topics."""
    listed, kind = summary["themes"] or summary["topics"], "topic"
    if summary["themes"]:
        listed, kind = sorted(listed, key=lambda each: -float(each["share"])), "theme"
    if len(listed) < 2:
        return []
    return [{**each, "link": f"{kind}-{each['number']}"} for each in listed[:n]]


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


def _assets(folder: str) -> str:
    """Return all files of a folder, one after another."""
    parts = sorted(
        (files("leantopics.report") / "templates" / folder).iterdir(),
        key=lambda part: part.name,
    )
    return "".join(part.read_text("utf-8") for part in parts)


def checksum(text: str) -> str:
    """Return the checksum by which a policy allows a style or a script."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
