"""Each named corpus: from a small archive in the layout of the public one."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from tests.datasets.archives import sgml, sgml_file, titled, write_tar
from tests.datasets.server import body, serve

from leantopics.datasets import (
    acl,
    imdb,
    labelme,
    load_20newsgroups,
    load_acl,
    load_imdb,
    load_labelme,
    load_ohsumed,
    load_reuters,
    long_word_vectorizer,
    news_vectorizer,
    newsgroups,
    ohsumed,
    reuters,
)
from leantopics.datasets.source import absent
from leantopics.io import open_records
from leantopics.text import TextVectorizer

HALVES = [load_20newsgroups, load_imdb, load_labelme, load_ohsumed, load_reuters]
LOADERS = [*HALVES, load_acl]


@pytest.fixture(autouse=True)
def _no_data(no_data):
    pass


@pytest.fixture
def public(monkeypatch, tmp_path):
    """Put an archive of {path: bytes} into a folder, in place of the public one."""

    def put(module, members):
        small = module.SOURCE.archive._replace(sha256=None)
        source = replace(module.SOURCE, archive=small, n_docs=0, digest="")
        monkeypatch.setattr(module, "SOURCE", source)
        write_tar(tmp_path / small.name, members)
        return tmp_path

    return put


def rows(module, folder):
    return list(open_records(module.SOURCE.find(folder, False)))


@pytest.mark.parametrize("load", LOADERS)
def test_without_the_variable_a_sentence_says_what_to_do(load):
    with pytest.raises(
        FileNotFoundError, match=r"set the .* LEANTOPICS_DATA .* folder"
    ):
        load()


@pytest.mark.parametrize("load", LOADERS)
def test_a_missing_file_is_named(load, tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"\.(xz|dat) is missing.*LEANTOPICS_DAT"
    ):
        load(folder=tmp_path)


@pytest.mark.parametrize("load", HALVES)
def test_an_unknown_split_is_refused(load, tmp_path):
    with pytest.raises(ValueError, match="must be 'train', 'test' or 'all', got 'dev'"):
        load(split="dev", folder=tmp_path)


def test_the_message_is_one_sentence():
    assert str(absent("a.xz", "/data")) == (
        "/data/a.xz is missing: put it there, or set the environment variable "
        "LEANTOPICS_DATA (or the argument folder) to the folder that holds a.xz, or "
        "give download=True."
    )


POSTING = b"From: ann@home\nSubject: Re: Cats\n\tand dogs\nLines: 2\n\nThey p\xfcrr.\n"


@pytest.fixture
def postings(public):
    return public(
        newsgroups,
        {
            "20news-bydate-test/rec.pets/7": b"Subject: cats\n\nDogs bark twice.",
            "20news-bydate-train/rec.pets/1000": b"Lines: 1\n\nSubject: dogs",
            "20news-bydate-train/rec.pets/20": POSTING,
            "20news-bydate-train/rec.pets/README": b"not a posting",
            "20news-bydate-train/alt.birds/30": b"Subject: owls\n\n\nOwls hoot.",
        },
    )


def test_20newsgroups(postings):
    every = rows(newsgroups, postings)
    assert [record.id for record in every] == [
        "alt.birds/30",
        "rec.pets/20",
        "rec.pets/1000",
        "rec.pets/7",
    ]
    assert every[1].text == POSTING.decode("latin-1")
    words = TextVectorizer()
    train = load_20newsgroups(vectorizer=words, folder=postings)
    test = load_20newsgroups("test", vectorizer=words, folder=postings)
    assert train.labels == [["alt.birds"], ["rec.pets"], ["rec.pets"]]
    assert {"from", "lines", "home"} <= set(train.vocabulary)
    assert test.ids == ["rec.pets/7"]
    assert test.vocabulary == train.vocabulary
    assert len(load_20newsgroups("all", vectorizer=words, folder=postings)) == 4


def test_20newsgroups_without_headers(postings):
    bare = load_20newsgroups(headers=False, folder=postings)
    assert bare.vocabulary == ["cat", "dog", "hoot", "owl", "subject"]
    assert bare.n_tokens == 7
    assert not {"ann", "home", "line", "from"} & set(bare.vocabulary)


def test_reuters(public):
    long = titled("A &lt;B> RISES", "Grain &amp; oil\n    &#27;rise.\n Reuter")
    train = [sgml(n, long, ["grain"]) for n in range(1, 11)]
    others = [
        sgml(11, long, ["grain", "oil"]),
        sgml(12, long, ["grain"], split="TEST"),
        sgml(13, "SHORT <1>\nLINES", ["grain"], split="TEST", kind="UNPROC"),
        sgml(14, "******<TITLE>ONLY\n THIS</TITLE>", ["lead"], kind="BRIEF"),
        sgml(15, long, ["rubble"], split="TEST"),
        sgml(16, long, ["trade", "trade"]),
        sgml(17, long, ["grain"], has_topics="NO"),
        sgml(18, long, ["grain"], split="NOT-USED"),
        sgml(19, "", [], split="TEST"),
    ]
    folder = public(
        reuters,
        {
            "README.txt": b"of the collection",
            "reut2-001.sgm": sgml_file(*others),
            "reut2-000.sgm": sgml_file(*train),
        },
    )
    every = {int(record.id): record for record in rows(reuters, folder)}
    assert list(every) == list(range(1, 20))
    assert every[1].text == "A <B> RISES\n\nGrain & oil\n    rise.\n Reuter"
    assert every[1].metadata == {
        "title": "A <B> RISES",
        "split": "train",
        "lewissplit": "TRAIN",
        "topics_attr": "YES",
        "text_type": "NORM",
        "places": ["usa"],
        "date": "26-FEB-1987 15:01:01.79",
        "r52": True,
        "s35": True,
    }
    assert every[11].labels == ["grain", "oil"]
    assert every[13].text == "SHORT <1>\nLINES"
    assert every[14].text == "ONLY\n THIS"
    assert every[16].labels == ["trade"]
    assert every[19].text == ""
    halves = {n: record.metadata["split"] for n, record in every.items()}
    assert [n for n, half in halves.items() if half is None] == [17, 18]
    assert [n for n, half in halves.items() if half == "test"] == [12, 13, 15, 19]
    subsets = {
        name: [n for n, record in every.items() if record.metadata[name]]
        for name in ("r52", "s35")
    }
    assert subsets["r52"] == [*range(1, 11), 12, 13, 14]
    assert subsets["s35"] == [*range(1, 11), 12, 13]

    words = news_vectorizer()
    assert len(load_reuters(vectorizer=words, folder=folder)) == 10
    test = load_reuters(split="test", vectorizer=words, folder=folder)
    assert test.ids == ["12", "13"]
    assert test.labels == [["grain"], ["grain"]]
    assert len(load_reuters("r52", folder=folder)) == 11
    assert len(load_reuters(None, folder=folder)) == 13
    assert len(load_reuters(None, "all", folder=folder)) == 19
    with pytest.raises(ValueError, match="No document has the field"):
        load_reuters("r8", folder=folder)


def test_ohsumed(public):
    abstract = b"Cats in wards.\n They purr.\n"
    folder = public(
        ohsumed,
        {f"ohsumed-all/C{n % 3 + 1:02d}/{n:07d}": abstract for n in range(100)}
        | {"ohsumed-all/C23/0000005": abstract, "ohsumed-all/README": b"no"},
    )
    every = rows(ohsumed, folder)
    assert [record.id for record in every] == [f"{n:07d}" for n in range(100)]
    assert every[5].labels == ["C03", "C23"]
    assert every[5].text == "Cats in wards.\n They purr."
    words = TextVectorizer()
    train = load_ohsumed(vectorizer=words, folder=folder)
    test = load_ohsumed("test", vectorizer=words, folder=folder)
    assert (len(train), len(test)) == (70, 30)
    assert sorted(train.ids + test.ids) == [record.id for record in every]
    assert train.ids == sorted(train.ids)
    assert load_ohsumed(folder=folder).vocabulary == ["cats", "purr", "wards"]
    assert len(load_ohsumed("all", folder=folder)) == 100


def test_the_split_of_ohsumed_never_changes():
    ids = [f"{n:07d}" for n in range(34389)]
    training = ohsumed.training_ids(ids)
    assert len(training) == 24218
    assert training == ohsumed.training_ids(ids[::-1])
    digest = hashlib.sha256(" ".join(sorted(training)).encode()).hexdigest()
    assert digest.startswith("6a574e1f2211b1e4")


def test_imdb(public):
    folder = public(
        imdb,
        {
            "aclImdb/test/pos/0_10.txt": b"Great.",
            "aclImdb/train/unsup/0_0.txt": b"Seen it.",
            "aclImdb/train/pos/10_9.txt": "Très bon<br />".encode(),
            "aclImdb/train/pos/9_7.txt": b"Good film.",
            "aclImdb/train/neg/1_1.txt": b"Bad film.",
            "aclImdb/train/urls_pos.txt": b"http://...",
            "aclImdb/train/labeledBow.feat": b"9 0:9",
            "aclImdb/README": b"",
        },
    )
    words = TextVectorizer()
    train = load_imdb(vectorizer=words, folder=folder)
    assert train.ids == ["train/neg/1_1", "train/pos/9_7", "train/pos/10_9"]
    assert train.labels == [["neg"], ["pos"], ["pos"]]
    assert "très" in train.vocabulary
    assert load_imdb("test", vectorizer=words, folder=folder).ids == ["test/pos/0_10"]
    everything = load_imdb("all", vectorizer=words, folder=folder)
    assert everything.ids[3] == "train/unsup/0_0"
    assert everything.labels[3] == []


def paper(number, abstract, title="On <fixed-case>C</fixed-case>ats"):
    return (
        f'<paper id="{number}"><title>{title}</title><author><first>A</first></author>'
        f"<abstract>{abstract}</abstract></paper>"
    )


def collection(name, *papers):
    return (
        f"<?xml version='1.0' encoding='UTF-8'?>\n<collection id=\"{name}\">"
        '<volume id="main"><meta><booktitle>P</booktitle><year>2020</year></meta>'
        f"<frontmatter/>{''.join(papers)}</volume></collection>"
    ).encode()


def test_acl(public):
    long = "Their <i>purr</i>\n is tex <tex-math>x^2</tex-math> &amp; more. " * 5
    no_abstract = '<paper id="9"><title>None</title></paper>'
    folder = public(
        acl,
        {
            "acl-1/data/xml/W99.xml": collection("W99", paper(3, long + "Other.")),
            "acl-1/data/xml/2020.acl.xml": collection(
                "2020.acl",
                paper(1, long),
                paper(2, "x" * 100),
                no_abstract,
                paper(4, "x" * 101, "Short"),
                paper(5, long, "Another title"),
            ),
            "acl-1/data/xml/2025.acl.xml": collection("2025.acl", paper(1, "y" * 200)),
            "acl-1/data/yaml/sigs.xml": b"<no>",
        },
    )
    corpus = load_acl(vectorizer=TextVectorizer(), folder=folder)
    assert corpus.ids == ["2020.acl-main.1", "2020.acl-main.4", "W99-main.3"]
    assert corpus.metadata[0]["year"] == "2020"
    assert corpus.metadata[0]["collection"] == "2020.acl"
    assert corpus.labels is None
    first = rows(acl, folder)[0].text
    assert first.startswith("On Cats\n\nTheir purr is tex x^2 & more. Their")


SCENES = {"train": b"4\r\n0\r\n", "test": b"7\r\n"}
PICTURES = {"train": b"2 0:3 157:1\r\n1 5:2\r\n", "test": b"1 9:4\r\n"}
DAT = {f"images/{half}-label.dat": raw for half, raw in SCENES.items()} | {
    f"images/{half}-data.dat": raw for half, raw in PICTURES.items()
}


def small_labelme(monkeypatch, *addresses):
    sums = {
        path.rpartition("/")[2]: hashlib.sha256(raw).hexdigest()
        for path, raw in DAT.items()
    }
    monkeypatch.setattr(labelme, "SHA256", sums)
    monkeypatch.setattr(
        labelme, "ARCHIVE", labelme.ARCHIVE._replace(addresses=addresses)
    )


def check_labelme(**where):
    train, test = load_labelme(**where), load_labelme("test", **where)
    assert train.counts.shape == (2, 158)
    assert train.counts.toarray()[0, [0, 157]].tolist() == [3, 1]
    assert train.labels == [["4"], ["0"]]
    assert train.ids == ["train/000", "train/001"]
    assert train.vocabulary[7] == "codeword_007"
    both = load_labelme("all", **where)
    assert both.ids == train.ids + test.ids
    assert both.labels == train.labels + test.labels
    parts = [train.counts.toarray(), test.counts.toarray()]
    np.testing.assert_array_equal(both.counts.toarray(), np.vstack(parts))


def test_labelme_from_a_folder(tmp_path):
    (tmp_path / "labelme").mkdir()
    for path, raw in DAT.items():
        (tmp_path / path.replace("images", "labelme")).write_bytes(raw)
    check_labelme(folder=tmp_path)


def test_labelme_from_its_archive(tmp_path, monkeypatch):
    small_labelme(monkeypatch)
    write_tar(tmp_path / "images.tgz", DAT)
    check_labelme(folder=tmp_path)


def test_labelme_by_download(tmp_path, monkeypatch, cache):
    archive = write_tar(tmp_path / "images.tgz", DAT)
    with serve(body(archive.read_bytes())) as server:
        small_labelme(monkeypatch, server.address)
        check_labelme(download=True)
        assert len(server.requests) == 1
    archive.unlink()
    check_labelme()
    file = cache / "labelme" / "train-data.dat"
    file.write_bytes(b"1 0:1\n")
    with pytest.raises(ValueError, match=r"train-data.dat is damaged.*; delete it"):
        load_labelme()


def test_other_pictures_are_refused(tmp_path, monkeypatch, cache):
    small_labelme(monkeypatch)
    for members in (DAT | {"images/test-data.dat": b"1 9:5\r\n"}, {}):
        write_tar(tmp_path / "images.tgz", members)
        with pytest.raises(ValueError, match=r"images.tgz must hold \w+-\w+.dat"):
            load_labelme(folder=tmp_path)
    assert not cache.exists()


def test_vectorizers_differ_as_they_say():
    text = ["An ox runs; oxen ran. 3rd"]
    assert news_vectorizer().fit(text).vocabulary_ == ["ox", "oxen", "ran", "rd", "run"]
    assert long_word_vectorizer().fit(text).vocabulary_ == ["oxen", "ran", "run"]
