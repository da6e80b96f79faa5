"""The report: how long it takes to write, how large it is, how quickly it answers."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import corpora
from benchmarks.timing import Run, Settings, against_goal, interleave, timed
from leantopics import Corpus, ParsimoniousTopicModel
from leantopics.report import to_html

MEGABYTES, MILLISECONDS = 6.0, 100.0
VIEWS = ("topics", "topic-0", "map", "tree", "words", "documents", "many", "made")
CLICK = """(view) => { const begin = performance.now(); location.hash = view; route();
document.body.offsetHeight; return performance.now() - begin; }"""
"""Script and layout of a change of view."""


def report(settings: Settings) -> dict[str, Any]:
    """The page of a sweep on 20-Newsgroups, and its slowest change of view."""
    corpus = Corpus(corpora.newsgroups(settings))
    most = settings.size(100, 6)
    model = ParsimoniousTopicModel(
        evidence="words",
        max_topics=most,
        min_topics=2,
        step=max(1, most // 25),
        random_state=0,
        n_jobs=2,
    ).fit(corpus)
    page = to_html(model, corpus)

    def write(_: int) -> Run:
        return {"seconds": timed(lambda: to_html(model, corpus))}

    clicks, not_run = _clicks(page)
    figures = {
        "megabytes": against_goal(
            len(page.encode(errors="replace")) / 1e6, "below 6", most=MEGABYTES
        )
    }
    if clicks:
        figures["milliseconds of the slowest change of view"] = against_goal(
            max(clicks.values()), "below 100", most=MILLISECONDS
        )
    return {
        "question": (
            f"The report of a model of 20-Newsgroups with {model.n_topics_} topics, "
            f"chosen among {len(model.path_)} numbers: time to write it, size, and in "
            "Chromium script and layout from a click to the next view."
        ),
        "corpus": corpora.describe(corpus.counts),
        "timings": interleave({"to_html": write}, settings.repeats),
        "figures": figures,
        "not run": not_run,
    }


def _clicks(page: str) -> tuple[dict[str, float], dict[str, str]]:
    """Milliseconds by view, the median of five; or why there are none."""
    browser = shutil.which("chromium")
    if browser is None:
        return {}, {"clicks": "no Chromium is installed"}
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return {}, {"clicks": "playwright is not installed"}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder, "report.html")
        file.write_bytes(page.encode(errors="replace"))
        opened = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        tab = opened.new_page()
        tab.goto(file.as_uri())
        found = {}
        for view in VIEWS:
            times = []
            for _ in range(5):
                tab.evaluate(CLICK, "overview")
                times.append(tab.evaluate(CLICK, view))
            found[view] = sorted(times)[2]
        opened.close()
    return found, {}
