import random

import pytest
from tests.cli.runner import documents

from leantopics import ParsimoniousTopicModel, TextVectorizer, count_texts

HOSTILE = [
    "<script>document.title = 'owned'</script>",
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<svg onload=alert(1)>",
    "javascript:alert(1) ]]> --> <!--",
    "\u202eright to left\u202c \x00\x07 \ud800",
]


def made(texts, labels, *, seed=0, ids=None, **settings):
    vectorizer = TextVectorizer(pattern=r"[^\s]+")
    corpus = count_texts(texts, vectorizer=vectorizer, ids=ids, labels=labels)
    settings = {"evidence": "words", "random_state": seed, **settings}
    return ParsimoniousTopicModel(**settings).fit(corpus), corpus


@pytest.fixture(scope="session")
def fitted():
    """A model of a sweep from 6 topics to 2, and its corpus with texts and labels."""
    records = list(documents(60))
    texts = [record["text"] for record in records]
    labels = [record["label"] for record in records]
    ids = [record["id"] for record in records]
    return made(texts, labels, ids=ids, max_topics=6, min_topics=2, step=1)


PLACES = {
    "ship": "boats sailing anchors harbours masts decks",
    "fish": "salmon herring nets gills scales schools",
    "tree": "leaves branches roots trunks bark acorns",
    "bird": "wings feathers nests eggs beaks songs",
    "bread": "flour ovens dough yeast crumbs loaves",
    "soup": "spoons broth onions kettles simmer ladles",
}
ABOVE = (
    "waves tides islands salt",
    "moss paths foxes clearings",
    "cooks tables dinner",
)


@pytest.fixture(scope="session")
def nested():
    """A model of three themes, of two topics each, and its corpus with dates."""
    draw = random.Random(0)
    texts, labels, about = [], [], []
    for d in range(180):
        place = list(PLACES)[d % 6]
        words = draw.choices(PLACES[place].split(), k=30)
        words += draw.choices(ABOVE[d % 6 // 2].split(), k=25)
        words += draw.choices("the and with under over many some then".split(), k=15)
        draw.shuffle(words)
        texts.append(" ".join(words))
        labels.append([place])
        date = f"20{10 + d % 12 + (d % 6 == 0)}-05-01"
        about.append({"title": f"About {place} {d}", "date": date})
    corpus = count_texts(texts, labels=labels, metadata=about)
    finer = ParsimoniousTopicModel(evidence="words", random_state=0).fit(corpus)
    return finer.coarsen(corpus, 3), corpus


@pytest.fixture(scope="session")
def hostile():
    """A model whose words, ids and labels are markup and script."""
    texts = [
        f"{HOSTILE[d % 2]} {HOSTILE[2 + d % 4]} word{d % 3}" * 4 for d in range(24)
    ]
    labels = [HOSTILE[d % 3] for d in range(24)]
    ids = [f"{d} {HOSTILE[d % 5]}" for d in range(24)]
    model, corpus = made(texts, labels, ids=ids, n_topics=2)
    model.topic_names = [HOSTILE[0], HOSTILE[2]]
    return model, corpus
