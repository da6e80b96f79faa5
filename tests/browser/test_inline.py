"""What notebooks show, in a page as a notebook would put it there."""

from leantopics import ParsimoniousTopicModel, make_corpus

FACTS = """() => [
    document.body.scrollHeight,
    document.documentElement.scrollWidth - innerWidth]"""


def shown(browser, tmp_path, html, **options):
    file = tmp_path / "cell.html"
    file.write_text(f"<!DOCTYPE html><p>before</p>{html}<p>after</p>", encoding="utf-8")
    page = browser.new_page(**options)
    page.wrong = []
    page.on("console", lambda message: page.wrong.append(message.text))
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.goto(file.as_uri())
    page.wait_for_timeout(500)
    return page


def fitted():
    corpus, _ = make_corpus(200, 300, 4, boost=4, salient_per_topic=40)
    return ParsimoniousTopicModel(max_topics=8, random_state=0).fit(corpus), corpus


def test_links_of_the_report_stay_in_its_frame(browser, tmp_path):
    model, corpus = fitted()
    page = shown(browser, tmp_path, model.show(corpus)._repr_html_())
    frame = page.frames[1]
    for link in frame.query_selector_all("nav a"):
        if link.is_visible():
            link.click()
            page.wait_for_timeout(100)
            assert frame.url.startswith("about:srcdoc")
    assert frame.evaluate("location.hash") not in ("", "#overview")
    assert page.url.endswith("cell.html")
    assert page.wrong == []
    page.close()


def test_a_model_takes_a_screen_at_most_and_opens(browser, tmp_path):
    model, corpus = fitted()
    themes = model.coarsen(corpus, 2) if model.finer_ is None else model
    for width in (1280, 390):
        size = {"width": width, "height": 800}
        html = themes._repr_mimebundle_()["text/html"]
        page = shown(browser, tmp_path, html, viewport=size)
        facts = page.evaluate(FACTS)
        assert facts[0] <= 800
        assert facts[1] <= 0
        for each in page.query_selector_all("summary"):
            each.click()
        assert page.locator("details[open]").count() == len(set(themes.parents_))
        assert page.wrong == []
        page.close()
