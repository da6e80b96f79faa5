"""Every plot shows the numbers of the model, on the axes that it is given."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from tests.cli.runner import documents

from leantopics import Corpus, ParsimoniousTopicModel, fit_texts, make_corpus, plot
from leantopics._card import percent
from leantopics.analysis.effects import find_effects
from leantopics.analysis.tables import topics_by_group, values_of

matplotlib.use("Agg")

NAMES = ["$\\frac{sea}$ & <b>", "wood\tpaths"]


@pytest.fixture(scope="module")
def model():
    records = list(documents(60))
    made = fit_texts(
        [record["text"] for record in records],
        labels=[record["label"] for record in records],
        dates=[f"20{10 + d % 6}-0{1 + d % 3}-05" for d in range(60)],
        evidence="bursts",
        max_topics=6,
    )
    made.topic_names = (NAMES * 9)[: made.n_topics_]
    return made


@pytest.fixture(scope="module")
def swept():
    corpus, _ = make_corpus(200, 100, 3)
    return ParsimoniousTopicModel(max_topics=6, random_state=0).fit(corpus)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def drawn(ax):
    """What a plot writes; drawing finds bad texts, too."""
    ax.figure.canvas.draw()
    ticks = [*ax.get_yticklabels(), *ax.get_xticklabels()]
    return [text.get_text() for text in [*ax.texts, *ticks]]


@pytest.mark.parametrize("name", plot.__all__)
def test_axes_are_taken_and_returned(name, model, swept):
    model = swept if name == "bic" else model
    _, ax = plt.subplots()
    before = plt.get_fignums()
    assert getattr(plot, name)(model, ax=ax) is ax
    assert plt.get_fignums() == before
    assert getattr(plot, name)(model) is not ax
    assert all("\t" not in text for text in drawn(ax))


@pytest.mark.parametrize("name", sorted(set(plot.__all__) - {"bic", "tree"}))
def test_names_given_by_hand_are_drawn_as_they_are(name, model):
    options = {"level": "themes"} if name == "map" else {}
    texts = drawn(getattr(plot, name)(model, **options))
    assert any("sea}$ &" in text or "$\\frac{sea}$" in text for text in texts)


def test_themes_are_bars_of_their_topics(model):
    ax = plot.themes(model, n=2)
    width = [bar.get_width() for bar in ax.patches]
    assert len(width) == int((model.parents_ < 2).sum())
    assert sum(width) == pytest.approx(model.topic_mass_[:2].sum())
    assert percent(model.topic_mass_[0]) in " ".join(drawn(ax))


def test_words_of_topics_are_bars_of_salience(model):
    ax = plot.topics(model, [1], n_words=4)
    words = [word for word, _ in model.top_words(1, 4)]
    assert [text for text in drawn(ax) if text in words] == words
    values = np.array([value for _, value in model.top_words(1, 4)])
    found = np.array([bar.get_width() for bar in ax.patches])
    np.testing.assert_allclose(found / found[0], values / values[0])


def test_the_tree_has_a_join_for_each_price(model):
    found = model.hierarchy()
    ax = plot.tree(model)
    assert len(ax.get_yticklabels()) == found.n_topics
    assert len(ax.lines) == 3 * len(found.prices)
    right = max(line.get_xdata().max() for line in ax.lines)
    assert right == pytest.approx(max(found.prices.max(), 0.0))
    assert len(plot.tree(model, n=2).lines) == 3


def test_the_map_has_circles_that_do_not_overlap(model):
    ax = plot.map(model)
    assert len(ax.patches) == model.finer_.n_topics_
    for a in ax.patches:
        for b in ax.patches:
            apart = np.hypot(*np.subtract(a.center, b.center))
            assert a is b or apart > a.radius + b.radius


def test_the_curve_is_that_of_the_path(swept):
    ax = plot.bic(swept)
    curve = ax.lines[1].get_xydata()
    rows = sorted((row["n_topics"], row["criterion"]) for row in swept.path_)
    least = min(value for _, value in rows)
    np.testing.assert_allclose(curve, [(m, value - least) for m, value in rows])


def test_groups_and_dates_are_those_of_the_table(model):
    shares = topics_by_group(model.topic_proportions_, model.corpus_, "labels").shares
    ax = plot.groups(model, topics=[0])
    expected = [percent(s.share) if s.share >= 0.0005 else "·" for s in shares
                if s.topic == 0]  # fmt: skip
    assert [text.get_text() for text in ax.texts] == expected
    ax = plot.over_time(model, topics=[0, 1], period="year")
    assert len(ax.lines) == 2
    years = topics_by_group(
        model.topic_proportions_, model.corpus_, "date", "year"
    ).shares
    np.testing.assert_allclose(
        ax.lines[0].get_ydata(), [s.share for s in years if s.topic == 0]
    )


@pytest.mark.parametrize(("days", "period"), [(1, "day"), (2, "month"), (40, "year")])
def test_the_period_is_the_shortest_with_few_points(model, days, period):
    counts = np.repeat(model.corpus_.counts.toarray(), 2, axis=0)
    counts = counts[: 60 if days == 1 else 120]
    first = np.datetime64("2000-01-01")
    dates = [str(first + d * days) for d in range(len(counts))]
    rows = [{"date": date} for date in dates]
    corpus = Corpus(counts, model.vocabulary_, metadata=rows)
    title = plot.over_time(model, corpus).get_title(loc="left")
    assert title.endswith(f"of each {period}")


def test_documents_are_needed_for_groups(model):
    corpus = model.corpus_
    bare = ParsimoniousTopicModel(2, random_state=0).fit(corpus)
    with pytest.raises(TypeError, match="must be a Corpus with labels or metadata"):
        plot.groups(bare)
    assert plot.groups(bare, corpus).get_title(loc="left").endswith("by labels")
    with pytest.raises(ValueError, match="no curve"):
        plot.bic(bare)
    with pytest.raises(ValueError, match="topic must be a whole number from 0 to 1"):
        plot.topics(bare, [7])


def test_without_matplotlib_the_extra_is_named(model, monkeypatch):
    monkeypatch.setattr("leantopics._extras.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'leantopics\[plot\]'"):
        plot.themes(model)


def test_effects_have_the_shares_and_intervals_of_each_group(model):
    ax = plot.effects(model)
    corpus = model.corpus_
    values = values_of(model, corpus, "labels")
    found = find_effects(model.document_topics(corpus), values)
    names = [share.group for share in found.effects[0].shares]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == names
    for g, (dots, lines) in enumerate(
        zip(ax.collections[1::2], ax.collections[::2], strict=True)
    ):
        shares = [effect.shares[g] for effect in found.effects]
        places = dots.get_offsets()[:, 0].tolist()
        assert places == pytest.approx([share.share for share in shares])
        ends = [segment[:, 0].tolist() for segment in lines.get_segments()]
        assert ends == [[s.low, s.high] for s in shares]
    written = [text.get_text() for text in ax.get_yticklabels()]
    topics = [model.topic_names[effect.topic] for effect in found.effects]
    assert written == [name.replace("\t", "?") for name in topics]
    title = f"{len(found.found)} of {model.n_topics_} topics differ by labels"
    assert ax.get_title(loc="left") == title


def test_effects_of_dates_are_those_at_their_ends(model):
    ax = plot.effects(model, by="date", kind="date", n=1)
    assert len(ax.get_yticklabels()) == 1
    assert len(ax.get_legend().get_texts()) == 2
    assert "change with date" in ax.get_title(loc="left")


@pytest.mark.parametrize("draw", [plot.groups, plot.over_time, plot.effects])
def test_no_topics_to_draw_are_refused(model, draw):
    with pytest.raises(ValueError, match=r"^n must be at least 1\. Got 0 instead\.$"):
        draw(model, n=0)
