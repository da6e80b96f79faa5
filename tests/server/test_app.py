import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.runner import run
from tests.server.asking import JSON, MODEL, SAMPLES, Waiting, ask, make_app

from leantopics import ParsimoniousTopicModel, TextVectorizer, count_texts, load_model
from leantopics._limits import MOST_COUNT
from leantopics.server.hosts import Hosts
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


SHAPE = 'The body must be {"texts": [...]} or {"counts": [...]}, JSON in UTF-8, but'
COUNTS = (
    "Each entry of counts must give each word a number from 0 to 2^53 - 1, but number "
    "1 does not."
)


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b"", 0),
        (b"{", 1),
        (b"{}", 1),
        (b"[]", 0),
        (b"[" * 100_000, 0),
        (b"1" * 5000, 0),
        (b'\xef\xbb\xbf{"texts": []}', 0),
        (b'{"texts": ["a" "b"]}', 15),
        (b'{"texts": ["a",', None),
        (b'{"texts": ["\\x"]}', 12),
        (b'{"texts": [], "counts": []}', 12),
        (b'{"texts": [], "texts": []}', 12),
        (b'{"texts": []} {}', 14),
        (b'{"texts": []', 12),
        (b'{"counts": [{"a": NaN}]}', 12),
        (b'{"counts": [{"a": 1e5,}]}', 22),
        (b'{"counts": [{"a": ' + b"[" * 20_000, 12),
        (b'{"counts": [{"a": ' + b"1" * 5000 + b"}]}", 12),
    ],
)
def test_what_is_not_json_of_this_form(body, place):
    status, _, answer = ask(make_app(body=200_000), "/infer", body)
    assert status == 400
    if place is not None:
        assert answer == {"error": f"{SHAPE} is not at character {place}."}


def test_what_is_not_unicode():
    answer = ask(APP, "/infer", b'{"texts": ["\xff"]}')
    assert answer[::2] == (400, {"error": f"{SHAPE} is not at byte 12."})


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (
            {"text": []},
            400,
            "The only field must be texts or counts, got 'text'.",
        ),
        (
            {"texts": "boats"},
            400,
            "texts must be a list, one entry for each document.",
        ),
        (
            {"texts": ["", 1]},
            400,
            "Each text must be a string, but number 1 is not.",
        ),
        (
            {"texts": ["\ud800"]},
            400,
            "Each text must be valid Unicode, but number 0 has half of a surrogate "
            "pair.",
        ),
        *(
            ({"counts": [{}, wrong]}, 400, COUNTS)
            for wrong in (1, [], {"a": -1}, {"a": True}, {"a": "1"}, {"a": 10**400})
        ),
        ({"counts": [{}, {"a": {}}]}, 400, COUNTS),
        (b'{"counts": [{}, {"a": 1e400}]}', 400, COUNTS),
        (
            b'{"counts": [{}, {"a": 1, "b": 2, "a": 1}]}',
            400,
            "A document may have each word once, but number 1 has 'a' twice.",
        ),
        (
            b'{"counts": [{"\\u0061": 1, "a": 1}]}',
            400,
            "A document may have each word once, but number 0 has 'a' twice.",
        ),
        ({"texts": [""] * 6}, 413, "A request may have at most 5 documents, got more."),
        (
            {"texts": ["x" * 101]},
            413,
            "A text may have at most 100 characters, but number 0 has 101.",
        ),
        (b" " * 200_001, 413, "The body may have at most 200,000 bytes."),
        (
            {"counts": [{str(n): 1 for n in range(12_499)}]},
            413,
            "Counts may have at most 25,000 commas, colons and brackets in a request, "
            "got 25,001; ask for fewer documents at once.",
        ),
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
        {"error": f"The content type must be application/json, got {kind!r}."},
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
    "path",
    ["", "*", "/", "/infer/", "//infer", "/../infer", "/manifest.json", "/%00", "/é"],
)
def test_nothing_else_is_there(path):
    assert ask(APP, path)[0] == 404


REBOUND = (
    "This server answers to localhost and to names given by --allowed-host, got "
    "'attacker.example'."
)


@pytest.mark.parametrize("path", [*PAGES, "/nothing", "/infer"])
def test_a_page_of_another_site_gets_nothing(path):
    for host in ("attacker.example", "Attacker.Example:8000", "attacker.example."):
        assert ask(APP, path, host=host)[::2] == (421, {"error": REBOUND})
    for target in (path, f"http://localhost{path}"):
        assert ask(APP, target, host="attacker.example")[0] == 421
    assert ask(APP, f"http://attacker.example{path}")[::2] == (421, {"error": REBOUND})
    assert ask(APP, path, {"texts": []}, host="attacker.example")[0] == 421


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:1",
        "localhost.",
        "127.0.0.1:8000",
        "127.9.9.9",
        "[::1]:8",
    ],
)
def test_names_of_this_machine(host):
    assert ask(APP, "/health", host=host)[0] == 200
    assert ask(APP, f"http://{host}/health")[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "localhost:x",
        "::1",
        "a b",
        "localhost, localhost",
        "localhost@evil",
        ".",
    ],
)
def test_what_is_no_name(host):
    status, _, answer = ask(APP, "/health", host=host)
    assert status == 400
    assert "header Host" in answer["error"]


@pytest.mark.parametrize(
    ("address", "names", "answered", "refused"),
    [
        ("127.0.0.1", ["topics.example"], ["topics.example:9"], ["10.0.0.1"]),
        ("::1", [], ["[::1]"], ["[::2]"]),
        ("0.0.0.0", [], ["anything.example", "10.0.0.1"], []),
        ("::", ["topics.example"], ["topics.example", "localhost"], ["10.0.0.1"]),
    ],
)
def test_allowed_hosts(address, names, answered, refused):
    app = make_app(hosts=Hosts(address, names))
    assert {ask(app, "/health", host=host)[0] for host in answered} == {200}
    assert {ask(app, "/health", host=host)[0] for host in refused} <= {421}


@pytest.mark.parametrize(
    "name", ["topics.example:80", "http://topics.example", "*", ""]
)
def test_an_allowed_host_is_a_name(name):
    result = run("serve", MODEL, "--allowed-host", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "must be a name such as topics.example" in " ".join(result.stderr.split())


def test_too_many_headers():
    status, _, answer = ask(APP, "/health", content_type="x" * 16_384)
    message = "The headers may have at most 16,384 bytes."
    assert (status, answer) == (431, {"error": message})


def test_bodies_that_are_held_at_once_are_bounded():
    infer = Waiting()
    app = make_app(infer=infer, jobs=1, queue=50, body=100)  # hence 800 bytes at once
    full = json.dumps({"texts": ["x" * 80]}).encode().ljust(100)
    with ThreadPoolExecutor(8) as pool:
        running = [pool.submit(ask, app, "/infer", full, parts=3) for _ in range(8)]
        assert infer.began.acquire(timeout=20)
        while (got := ask(app, "/infer", b" "))[0] == 400:  # until all have arrived
            time.sleep(0.01)
        status, headers, answer = got
        message = "There are too many requests; try again soon."
        assert (status, answer) == (503, {"error": message})
        assert headers["Retry-After"] == "1"
        infer.go.set()
        assert {future.result()[0] for future in running} == {200}
    assert ask(app, "/infer", full)[0] == 200  # they are held no more


@pytest.mark.parametrize("size", [101, 200, 201, 5000])
@pytest.mark.parametrize("length", [None, "0"])  # as if it came in chunks
def test_what_is_refused_is_not_held(size, length):
    app = make_app(body=100)
    for _ in range(20):
        status, headers, _ = ask(app, "/infer", b" " * size, parts=7, length=length)
        assert status == 413
        assert ("Connection" in headers) == (size > 200)
    assert ask(app, "/infer", {"texts": [""]}, parts=7)[0] == 200


def test_small_requests_are_answered_together_and_each_by_itself():
    together = []

    class Counting(Inference):
        def __call__(self, documents, deadline):
            together.append(len(documents))
            if together == [1]:
                assert go.wait(20)
            return super().__call__(documents, deadline)

    go = threading.Event()
    app = make_app(infer=Counting(load_model(MODEL)), jobs=1, queue=50)
    bodies = [{"texts": [text]} for text in texts(10)]
    bodies += [{"counts": [{WORDS[n]: 3}, {WORDS[n]: 1}]} for n in range(10)]
    with ThreadPoolExecutor(30) as pool:
        first = pool.submit(ask, app, "/infer", {"texts": [""]})
        while not together:
            time.sleep(0.01)
        good = [pool.submit(ask, app, "/infer", body) for body in bodies]
        bad = [pool.submit(ask, app, "/infer", {"texts": [1]}) for _ in range(5)]
        while len(app._line._waiting) < 25:
            time.sleep(0.01)
        go.set()
        assert first.result()[0] == 200
        for body, future in zip(bodies, good, strict=True):
            assert future.result()[::2] == ask(APP, "/infer", body)[::2]
        assert {future.result()[0] for future in bad} == {400}
    together.clear()
    with ThreadPoolExecutor(30) as pool:
        go.clear()
        first = pool.submit(ask, app, "/infer", {"texts": [""]})
        while not together:
            time.sleep(0.01)
        good = [pool.submit(ask, app, "/infer", body) for body in bodies]
        while len(app._line._waiting) < 20:
            time.sleep(0.01)
        go.set()
        for body, future in zip(bodies, good, strict=True):
            assert future.result()[::2] == ask(APP, "/infer", body)[::2]
    assert together == [1, 30]


def test_not_yet_ready():
    app = make_app()
    app.ready = False
    for path, body in [("/ready", None), ("/infer", {"texts": []})]:
        status, headers, answer = ask(app, path, body)
        assert (status, headers["Retry-After"]) == (503, "1")
        assert answer == {"error": "The server is not ready; try again soon."}
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
        assert answer == {"error": "There are too many requests; try again soon."}
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
        takes_texts, row = True, dict

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
    st.floats(0, MOST_COUNT)
    | st.integers(0, int(MOST_COUNT))
    | st.sampled_from([5e-324, 1e-9]),
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


@pytest.mark.parametrize("name", ["h11", "starlette", "uvicorn"])
def test_the_extra_that_is_missing_is_named(name, monkeypatch, tmp_path):
    for module in list(sys.modules):
        if module.split(".")[0] == name or module.startswith("leantopics.server."):
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, name, None)
    result = run("serve", tmp_path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"Error: Serving needs {name}: pip install 'leantopics[serve]'.\n"
    )


def test_a_pattern_that_takes_for_ever_ends_at_the_deadline():
    vectorizer = TextVectorizer(pattern="(?:a|aa|b?a)+(?=!)")
    corpus = count_texts(["aa! aaa!", "aaa! a!"], vectorizer=vectorizer)
    infer = Inference(ParsimoniousTopicModel(1, random_state=0).fit(corpus))
    assert len(infer(["aa!"], np.inf)) == 1
    with pytest.raises(TimeoutError):
        infer(["a" * 60], time.monotonic() + 0.2)
