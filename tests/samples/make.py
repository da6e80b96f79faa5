"""Write a saved corpus and a saved model of each class, tiny, and what they predict.

python tests/samples/make.py tests/samples/N  # once for each format version N, to keep
"""

import json
import sys
from pathlib import Path

import numpy as np

from leantopics import (
    LDA,
    Corpus,
    ParsimoniousTopicModel,
    SparseTopicalCoding,
    TextVectorizer,
    count_texts,
    make_corpus,
)
from leantopics.ptm.attached_texts import keep_texts

FORMS = ("", ".zip")
MODELS = {
    "model": ParsimoniousTopicModel(max_topics=3, step=1, random_state=0),
    "lda": LDA(2, max_topics=3, random_state=0),
    "lda-smoothed": LDA(2, background=True, smoothing=0.1, random_state=0),
    "stc": SparseTopicalCoding(2, word_penalty=[0.01, 0.1], random_state=0),
}


def documents() -> Corpus:
    settings = dict(topics_per_doc=1.3, salient_per_topic=8, doc_length=40)
    drawn, _ = make_corpus(36, 30, 2, overlap=1.0, boost=4, dip=0.05, **settings)
    words = np.array([f"wörd{n}" for n in range(30)])
    rows = drawn.counts.toarray().astype(int)
    texts = [" ".join(np.repeat(words, row).tolist()) for row in rows]
    texts[5] = ""
    rows = range(len(texts))
    return count_texts(
        texts,
        vectorizer=TextVectorizer(stop_words=["wörd29"]),
        ids=[f"d{d}" for d in rows],
        labels=[["even"] if d % 2 == 0 else ["odd", "ungerade"] for d in rows],
        metadata=[{"number": d} for d in rows],
    )


def main(folder: Path) -> None:
    folder.mkdir()
    corpus = documents()
    for form in FORMS:
        corpus.save(folder / f"corpus{form}")
    predicted = {}
    for name, model in MODELS.items():
        model.fit(corpus)
        if name == "model":
            keep_texts(model, corpus)
            model.measure_stability(corpus, repeats=2)
            model.topic_names = [f"topic {j}" for j in range(model.n_topics_)]
        for form in FORMS if name == "model" else FORMS[:1]:
            model.save(folder / f"{name}{form}")
        predicted[name] = model.transform(corpus).round(12).tolist()
    (folder / "transform.json").write_text(json.dumps(predicted, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
