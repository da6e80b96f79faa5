from leantopics import LDA, ParsimoniousTopicModel


def test_fitted_models_show_their_topics(fitted, hostile):
    model, corpus = fitted
    for each in (model, LDA(3, random_state=0).fit(corpus)):
        shown = each._repr_mimebundle_()["text/html"]
        assert shown.startswith("<table>")
        assert shown.count("<tr>") == 1 + each.n_topics_
        assert each.top_words(0)[0][0] in shown
    assert "<script" not in hostile[0]._repr_mimebundle_()["text/html"]


def test_others_show_their_settings():
    shown = ParsimoniousTopicModel(max_topics=7)._repr_mimebundle_()
    assert "max_topics=7" in shown["text/plain"]
    assert "<caption>" not in shown["text/html"]
