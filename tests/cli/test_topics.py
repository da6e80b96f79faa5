import json
import os
import subprocess
import sys

import pytest
from tests.cli.runner import SHARED, SUBJECTS, run

from leantopics import LDA, ParsimoniousTopicModel, read_corpus
from leantopics.cli.listing import topic_lines


def test_tab_separated_in_a_pipe(folder):
    result = run("topics", folder / "texts", "-n", 3)
    assert result.stdout == (
        "topic\tname\tshare\tdocuments\twords\n"
        "0\tislands tides sailing\t0.6000\t24\tislands, tides, sailing\n"
        "1\tfoxes roots paths\t0.4000\t16\tfoxes, roots, paths\n"
    )
    assert (result.exit_code, result.stderr) == (0, "")


def test_json(folder):
    result = run("topics", folder / "texts", "-n", 20, "--json")
    document = json.loads(result.stdout)
    model = ParsimoniousTopicModel.load(folder / "texts")
    assert document["n_topics"] == 2
    assert document["n_documents"] == 40
    assert document["bic"] == model.bic_
    assert document["topics_per_document"] == 1.0
    assert set(document["shared_words"]) == set(SHARED)
    for j, (subject, size) in enumerate([("sea", 24), ("wood", 16)]):
        topic = document["topics"][j]
        named = (topic["topic"], topic["name"], topic["documents"])
        assert named == (j, model.topic_names[j], size)
        assert topic["share"] == pytest.approx(size / 40)
        expected = model.top_words(j, 20, by="salience")
        assert [(w["word"], w["salience"]) for w in topic["words"]] == expected
        assert {word["word"] for word in topic["words"]} == set(SUBJECTS[subject])


def test_csv(folder):
    result = run("topics", folder / "texts", "-n", 2, "--csv")
    shares = ParsimoniousTopicModel.load(folder / "texts").topic_mass_.tolist()
    assert result.stdout == (
        "topic,name,share,documents,words\n"
        f'0,islands tides sailing,{shares[0]},24,"islands, tides"\n'
        f'1,foxes roots paths,{shares[1]},16,"foxes, roots"\n'
    )
    assert (result.exit_code, result.stderr) == (0, "")


def test_other_models(folder, tmp_path):
    corpus = read_corpus(folder / "counts.ldac")
    LDA(2, background=True, random_state=0).fit(corpus).save(tmp_path / "m")
    result = run("topics", tmp_path / "m", "-n", 3)
    assert result.stdout == (
        "topic\tname\tshare\tdocuments\twords\n"
        "0\tislands tides sailing\t0.6000\t24\tislands, tides, sailing\n"
        "1\tfoxes roots paths\t0.4000\t16\tfoxes, roots, paths\n"
    )
    document = json.loads(run("topics", tmp_path / "m", "--json").stdout)
    assert (document["bic"], document["shared_words"]) == (None, [])


def test_words_by_probability_without_those_never_used(folder):
    command = ("topics", folder / "counts", "-n", 20, "--by", "probability", "--json")
    for topic in json.loads(run(*command).stdout)["topics"]:
        shares = [word["probability"] for word in topic["words"]]
        assert len(shares) == 8
        assert shares == sorted(shares, reverse=True)


def test_stems_are_shown_as_they_are_written(folder, tmp_path):
    model = tmp_path / "m"
    settings = ("--topics", 2, "--evidence", "words", "--stem", "english")
    run("fit", folder / "texts.jsonl", "-o", model, *settings)
    assert "harbour" in ParsimoniousTopicModel.load(model).vocabulary_
    result = run("topics", model, "-n", 8, "--json")
    topics = json.loads(result.stdout)["topics"]
    assert {word["word"] for word in topics[0]["words"]} == set(SUBJECTS["sea"])
    result = run("infer", model, "-", input="the harbour of an island, a tide\n")
    assert result.stdout == (
        "document\ttopic\tproportion\tname\n0\t0\t1.0000\tislands tides sailing\n"
    )


def test_given_names(folder, tmp_path):
    model = ParsimoniousTopicModel.load(folder / "texts")
    model.topic_names = ["the\tsea", "the wood"]
    model.save(tmp_path / "m")
    result = run("topics", tmp_path / "m", "-n", 1)
    assert result.stdout.splitlines()[1:] == [
        "0\tthe sea\t0.6000\t24\tislands",
        "1\tthe wood\t0.4000\t16\tfoxes",
    ]


def test_no_salient_words(tmp_path):
    run("fit", "-", "-o", tmp_path / "m", "--topics", 1, input="a tree\na tree\n")
    result = run("topics", tmp_path / "m")
    assert result.stdout.splitlines()[1] == "0\tshared words\t1.0000\t2\t"


def on_a_terminal(*arguments, **variables):
    """Run a command on a terminal of 80 columns and return what it prints."""
    import pty

    outer, inner = pty.openpty()
    env = {**os.environ, "COLUMNS": "80", "TERM": "xterm", **variables}
    code = "from leantopics.cli import main; main()"
    subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=inner,
        stderr=subprocess.PIPE,
        env=env,
        check=True,
        timeout=120,
    )
    os.close(inner)
    shown = os.read(outer, 100_000).decode()
    os.close(outer)
    return shown


def without_colours(shown):
    return "".join(part.partition("m")[2] for part in ("m" + shown).split("\x1b["))


@pytest.fixture
def named(folder, tmp_path):
    """A model whose topics have given names."""
    model = ParsimoniousTopicModel.load(folder / "texts")
    model.topic_names = ["the [bold] sea", "Foxes"]
    model.save(tmp_path / "m")
    return tmp_path / "m"


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("no_color", [False, True])
def test_all_is_a_table_on_a_terminal(named, no_color):
    more = {"NO_COLOR": "1"} if no_color else {}
    shown = on_a_terminal("topics", named, "-n", 2, "--all", **more)
    assert ("\x1b[36m" in shown) is not no_color
    plain = without_colours(shown)
    lines = [line.split() for line in plain.splitlines() if line.strip()]
    assert lines[0] == ["topic", "name", "share", "documents", "salient", "words"]
    assert lines[2] == "0 the [bold] sea 60.0% 24 islands, tides".split()
    assert lines[3] == "1 Foxes 40.0% 16 foxes, roots".split()
    assert " ".join(lines[4]).startswith("Shared by all topics: ")


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_line_for_each_topic_on_a_terminal(named):
    shown = without_colours(on_a_terminal("topics", named, "-n", 2))
    assert shown.replace("\r", "").splitlines()[:-1] == [
        "topic  share  name: more words",
        "    0  60.0%  the [bold] sea: islands tides",
        "    1  40.0%  Foxes: roots",
        "",
    ]
    assert run("topics", named, "--all").stdout == run("topics", named).stdout


def test_the_short_form_names_as_many_topics_as_fit():
    def topic(number, name, below=None):
        own = {"topic": number} if below is None else {"theme": number, "topics": below}
        return {**own, "name": name, "share": 0.02, "words": [{"word": "Sea"}]}

    below = [topic(k, f"word{k}\tother{k}") for k in range(12)]
    themes = [
        topic(0, "the sea", below),
        topic(1, "wood", below[:2]),
        topic(2, "b", []),
    ]
    lines = [str(line) for line in topic_lines({"themes": themes})]
    assert lines == [
        "theme  share  name: more words",
        "    0   2.0%  the sea",
        "              12 topics: word0 other0, word1 other1, word2 other2 and 9 more",
        "    1   2.0%  wood: Sea",
        "              2 topics: word0 other0, word1 other1",
        "    2   2.0%  b: Sea",
        "              no topics of its own",
    ]
    many = {"topics": [topic(k, f"name{k}") for k in range(43)]}
    lines = [str(line) for line in topic_lines(many, "; --all shows all topics")]
    assert len(lines) == 42
    assert lines[-1] == "              and 3 more; --all shows all topics"
