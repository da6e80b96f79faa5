import json
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.runner import run
from tests.server.asking import JSON, MODEL, SAMPLES, Waiting, ask, make_app

from leantopics import TextVectorizer, load_model
from leantopics.server.inference import Inference

CLASSES = ["model", "lda", "lda-smoothed", "stc"]
APPS = {name: make_app(SAMPLES / name) for name in CLASSES}
APP = APPS["model"]
WORDS = load_model(MODEL).vocabulary_
PAGES = ["/health", "/ready", "/topics", "/model", "/openapi.json"]


def texts(n):
    draw = np.random.default_rng(0)
    return [" ".join(draw.choice(WORDS, size=draw.integers(0, 60))) for _ in range(n)]


def test_pages_are_what_the_commands_print():
    for path, command in [("/topics", "topics"), ("/model", "inspect")]:
        assert ask(APP, path)[2] == json.loads(run(command, MODEL, "--json").stdout)


def test_texts_have_the_topics_of_the_command():
    documents = [*texts(150), "", "xyzzy"]  # more than are inferred at once
    lines = "".join(json.dumps({"text": text}) + "\n" for text in documents)
    printed = run("infer", MODEL, "-", "--format", "jsonl", "--json", input=lines)
    wanted = [json.loads(line)["topics"] for line in printed.stdout.splitlines()]
    status, _, answer = ask(APP, "/infer", {"texts": documents})
    assert (status, answer) == (200, {"topics": wanted})
    assert wanted[-2:] == [[], []]


@pytest.mark.parametrize("name", CLASSES)
def test_counts_have_the_proportions_of_transform(name):
    model = load_model(SAMPLES / name)
    draw = np.random.default_rng(1)
    counts = draw.poisson(0.5, size=(100, len(model.vocabulary_))).astype(float)
    counts[3] = 0.0
    named = [dict(zip(model.vocabulary_, row, strict=True)) for row in counts.tolist()]
    named[5]["a word that no model knows"] = 7
    status, _, answer = ask(APPS[name], "/infer", {"counts": named})
    shares = np.asarray(model.transform(counts))
    assert status == 200
    for d, topics in enumerate(answer["topics"]):
        wanted = [(j, s) for j, s in enumerate(shares[d].tolist()) if s >= 0.00005]
        ranked = [list(p) for p in sorted(wanted, key=lambda pair: -pair[1])]
        assert topics == ([] if d == 3 else ranked)


def test_no_documents():
    assert ask(APP, "/infer", {"texts": []})[::2] == (200, {"topics": []})
    assert ask(APP, "/infer", {"counts": [{}]})[::2] == (200, {"topics": [[]]})


def test_many_threads_get_the_same_bits():
    documents = texts(64)
    alone = {text: ask(APP, "/infer", {"texts": [text]})[2] for text in documents}
    app = make_app(jobs=8, queue=200)

    def topics(text):
        return ask(app, "/infer", {"texts": [text]})[::2]

    with ThreadPoolExecutor(16) as pool:
        for text, got in zip(
            documents * 5, pool.map(topics, documents * 5), strict=True
        ):
            assert got == (200, alone[text])
    together = ask(app, "/infer", {"texts": documents})[2]["topics"]
    assert together == [alone[text]["topics"][0] for text in documents]


@pytest.mark.parametrize("path", [*PAGES, "/nothing", "/infer"])
def test_every_answer_has_its_headers(path):
    status, headers, _ = ask(APP, path)
    assert status == {"/nothing": 404, "/infer": 405}.get(path, 200)
    assert headers["Content-Type"] == JSON
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert not any(name.startswith("Access-Control") for name in headers)
    if status == 200:
        status, without, body = ask(APP, path, method="HEAD")
        assert (status, without, body) == (200, headers, None)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"", 400, "The body must be JSON in UTF-8."),
        (b"{", 400, "The body must be JSON in UTF-8."),
        (b'{"texts": ["\xff"]}', 400, "The body must be JSON in UTF-8."),
        (b"[" * 100_000, 400, "The body must be JSON in UTF-8."),
        (b"1" * 5000, 400, "The body must be JSON in UTF-8."),
        (b'{"counts": [{"a": NaN}]}', 400, "The body must be JSON in UTF-8."),
        ([], 400, 'The body must be {"texts": [...]} or {"counts": [...]}.'),
        ({}, 400, 'The body must be {"texts": [...]} or {"counts": [...]}.'),
        (
            {"texts": [], "counts": []},
            400,
            'The body must be {"texts": [...]} or {"counts": [...]}.',
        ),
        ({"text": []}, 400, "The one field must be texts or counts, got another."),
        (
            {"texts": "boats"},
            400,
            "texts must be a list, one entry for each document.",
        ),
        ({"texts": ["", 1]}, 400, "Each text must be a string, number 1 is not."),
        (
            {"texts": ["\ud800"]},
            400,
            "Each text must be Unicode, number 0 has half a character.",
        ),
        *(
            (
                {"counts": [{}, wrong]},
                400,
                "Each entry of counts must be numbers from 0 to 2^53 by word, "
                "number 1 is not.",
            )
            for wrong in (1, [], {"a": -1}, {"a": True}, {"a": "1"}, {"a": 10**400})
        ),
        ({"texts": [""] * 6}, 413, "A request may have at most 5 documents, got 6."),
        (
            {"texts": ["x" * 101]},
            413,
            "A text may have at most 100 characters, number 0 has 101.",
        ),
        (b" " * 200_001, 413, "The body may have at most 200,000 bytes."),
    ],
)
def test_wrong_bodies(body, status, message):
    app = make_app(body=200_000, documents=5, characters=100)
    assert ask(app, "/infer", body)[::2] == (status, {"error": message})


@pytest.mark.parametrize("kind", ["", "text/plain", "application/jsonx", "multipart"])
def test_wrong_content_type(kind):
    status, _, answer = ask(APP, "/infer", {"texts": []}, content_type=kind)
    assert (status, answer) == (
        415,
        {"error": "The content type must be application/json."},
    )


@pytest.mark.parametrize("kind", [JSON, "Application/JSON; charset=utf-8"])
def test_right_content_type(kind):
    assert ask(APP, "/infer", {"texts": []}, content_type=kind)[0] == 200


@pytest.mark.parametrize("length", ["-1", "1e3", "x", "²", "9" * 5000])
def test_wrong_length(length):
    assert ask(APP, "/infer", b"{}", length=length)[0] in (400, 413)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "WHATEVER"])
def test_wrong_method(method):
    for path, allowed in [("/infer", "POST"), ("/topics", "GET, HEAD")]:
        status, headers, _ = ask(APP, path, method=method)
        assert (status, headers["Allow"]) == (405, allowed)


@pytest.mark.parametrize(
    "path", ["", "/", "/infer/", "//infer", "/../infer", "/manifest.json", "/%00", "/é"]
)
def test_nothing_else_is_there(path):
    assert ask(APP, path)[0] == 404


def test_not_yet_ready():
    app = make_app()
    app.ready = False
    for path, body in [("/ready", None), ("/infer", {"texts": []})]:
        status, headers, answer = ask(app, path, body)
        assert (status, headers["Retry-After"]) == (503, "1")
        assert answer == {"error": "The server is not ready; come again soon."}
    assert ask(app, "/health")[0] == 200


def test_too_many_at_once():
    infer = Waiting()
    app = make_app(infer=infer, jobs=2, queue=0)
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(ask, app, "/infer", {"texts": [""]}) for _ in range(2)]
        assert infer.began.acquire(timeout=20)
        assert infer.began.acquire(timeout=20)
        status, headers, answer = ask(app, "/infer", {"texts": [""]})
        assert (status, headers["Retry-After"]) == (503, "1")
        assert answer == {"error": "Too many requests at once; come again soon."}
        assert ask(app, "/health")[0] == 200
        infer.go.set()
        assert [future.result()[0] for future in running] == [200, 200]
    assert ask(app, "/infer", {"texts": [""]})[0] == 200


def test_out_of_time():
    infer = Waiting()
    app = make_app(infer=infer, jobs=1, queue=5, seconds=0.2)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(ask, app, "/infer", {"texts": [""]})
        assert infer.began.acquire(timeout=20)
        status, _, answer = ask(app, "/infer", {"texts": [""]})  # waits in vain
        infer.go.set()
        assert running.result()[0] == 200
    message = "This took more than 0.2 seconds; ask for fewer documents at once."
    assert (status, answer) == (503, {"error": message})


def test_out_of_time_between_documents():
    app = make_app(seconds=0.0)
    assert ask(app, "/infer", {"texts": ["boats"]})[0] == 503


def test_a_fault_is_told_without_its_cause(caplog):
    class Faulty:
        takes_texts = True

        def __call__(self, documents, deadline):
            raise KeyError("secret")

    app = make_app(infer=Faulty(), jobs=1, queue=0)
    for _ in range(3):  # the place in the queue is free again
        status, headers, answer = ask(app, "/infer", {"texts": [""]})
        assert (status, headers["Content-Type"]) == (500, JSON)
        assert "secret" not in answer["error"]
    assert "secret" in caplog.text


def test_a_model_of_counts_takes_no_texts():
    model = load_model(MODEL)
    model.analyser_ = None
    app = make_app(infer=Inference(model))
    status, _, answer = ask(app, "/infer", {"texts": ["boats"]})
    assert status == 400
    assert "give counts" in answer["error"]
    description = ask(app, "/openapi.json")[2]
    assert "Texts" not in json.dumps(description)
    assert ask(app, "/infer", {"counts": [{WORDS[0]: 2}]})[0] == 200


def test_names_of_columns_give_no_warning():
    model = load_model(MODEL)
    vocabulary = np.array(model.vocabulary_, dtype=object)
    model.feature_names_in_ = vocabulary
    counts = TextVectorizer.from_dict(model.analyser_).transform([" ".join(WORDS)])
    assert counts.shape[1] == len(vocabulary)
    assert Inference(model)([" ".join(WORDS)], np.inf)


def test_the_description_has_all_that_is_there():
    description = ask(make_app(documents=7, characters=8), "/openapi.json")[2]
    assert sorted(description["paths"]) == sorted([*PAGES, "/infer"])
    schema = description["components"]["schemas"]["Texts"]["properties"]["texts"]
    assert (schema["maxItems"], schema["items"]["maxLength"]) == (7, 8)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.sampled_from(WORDS),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
counts = st.dictionaries(
    st.sampled_from(WORDS) | st.text(),
    st.floats(0, 2**53) | st.integers(0, 2**53) | st.sampled_from([5e-324, 1e-9]),
)


@given(
    st.binary()
    | values.map(lambda value: json.dumps(value).encode())
    | st.lists(values).map(lambda value: json.dumps({"texts": value}).encode())
    | st.lists(values).map(lambda value: json.dumps({"counts": value}).encode())
)
@settings(deadline=None, max_examples=200)
def test_no_body_is_a_fault(body):
    status, _, answer = ask(APP, "/infer", body)
    assert status in (200, 400)
    assert list(answer) == (["topics"] if status == 200 else ["error"])


@pytest.mark.parametrize("name", CLASSES)
@given(st.lists(counts, max_size=4))
@settings(deadline=None, max_examples=50)
def test_no_counts_are_a_fault(name, documents):
    status, _, answer = ask(APPS[name], "/infer", {"counts": documents})
    assert status == 200
    for topics in answer["topics"]:
        assert not topics or sum(s for _, s in topics) == pytest.approx(1.0, abs=0.01)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=4))
@settings(deadline=None, max_examples=100)
def test_no_text_is_a_fault(documents):
    status, _, answer = ask(APP, "/infer", {"texts": documents})
    assert (status, len(answer["topics"])) == (200, len(documents))


def test_the_extra_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "waitress", None)
    monkeypatch.delitem(sys.modules, "leantopics.server.run", raising=False)
    result = run("serve", MODEL)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "Error: Serving needs waitress: pip install 'leantopics[serve]'.\n"
    )
