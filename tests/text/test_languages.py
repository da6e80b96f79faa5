"""Words of all scripts, and tokenizers of the user's own."""

import json
import sys
import unicodedata
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
import regex
import snowballstemmer
import spacy.lang.ja.examples
import spacy.lang.zh.examples
import stopwordsiso
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from tests.cli.runner import documents, run

from leantopics import (
    LDA,
    ParsimoniousTopicModel,
    TextVectorizer,
    count_texts,
    load_model,
    read_corpus,
)
from leantopics.report import to_html
from leantopics.server.inference import Inference
from leantopics.text import find_tokenizer
from leantopics.text.stop_words import _ISO_CODES, stop_words_of
from leantopics.text.words import WORD_PATTERN, Cutter

CHINESE = spacy.lang.zh.examples.sentences
JAPANESE = spacy.lang.ja.examples.sentences
THAI = ["ภาษาไทยเป็นภาษาราชการของประเทศไทย", "แมวและสุนัขนอนหลับอยู่ในบ้าน"]
BURMESE = ["မြန်မာဘာသာစကားသည် မြန်မာနိုင်ငံ၏ ရုံးသုံး ဘာသာစကား ဖြစ်သည်။"]
KHMER = ["ភាសាខ្មែរ គឺជាភាសាកំណើតរបស់ជនជាតិខ្មែរ និងជាភាសាផ្លូវការរបស់ប្រទេសកម្ពុជា។"]
LAO = ["ພາສາລາວແມ່ນພາສາທາງການຂອງປະເທດລາວ ມີຜູ້ເວົ້າປະມານສາມສິບລ້ານຄົນ"]


def words_of(text, **settings):
    """Words in the order of the text."""
    vectorizer = TextVectorizer(**settings).fit([text])
    return [vectorizer.vocabulary_[n] for *_, n in vectorizer.spans([text])[0]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("हिन्दी में लिखा", ["हिन्दी", "में", "लिखा"]),
        ("বাংলা ভাষা", ["বাংলা", "ভাষা"]),
        ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("שָׁלוֹם עולם", ["שָׁלוֹם", "עולם"]),
        ("צה\"ל ארה״ב ג'ירפה", ['צה"ל', "ארה״ב", "ג'ירפה"]),
        ("تَرْجَمَة عربية", ["تَرْجَمَة", "عربية"]),
        ("می\u200cخواهم کتاب", ["می\u200cخواهم", "کتاب"]),
        ("Комп'ютер п’ять", ["комп'ютер", "п’ять"]),
        ("L'eau dell’acqua the dog's", ["eau", "dell", "acqua", "the", "dog"]),
        ('"слово" «слово»', ["слово", "слово"]),
        ("한국어 문장", ["한국어", "문장"]),
        (
            "İstanbul ΟΔΟΣ Straße",
            ["istanbul", "οδο\u03c2", "straße"],
        ),
        ("cafe\u0301 Caf\u00e9", ["caf\u00e9", "caf\u00e9"]),
    ],
)
def test_words_of_many_scripts(text, words):
    assert words_of(text) == words


def is_inside(letter):
    return unicodedata.category(letter)[0] in "LM" or letter in "0123456789_"


@given(st.text("aÉ हिन्दी שָׁ تَـ ழ் ệ e\u0301 1_ .-", max_size=40))
def test_words_are_runs_of_letters_marks_and_digits(text):
    runs = groupby(unicodedata.normalize("NFC", text.lower()), is_inside)
    runs = ["".join(letters) for inside, letters in runs if inside]
    words = {run for run in runs if len(run) > 1 and run[0] not in "0123456789_"}
    vectorizer = TextVectorizer().fit([text + " end"])
    assert set(vectorizer.vocabulary_) == words | {"end"}


@given(st.text("aÉİΣς हिन्दी שָׁ e\u0301 -", max_size=40))
def test_spans_are_where_the_counted_words_are(text):
    vectorizer = TextVectorizer()
    counts = vectorizer.fit_transform([text + " end"])
    found = np.zeros(len(vectorizer.vocabulary_), dtype=int)
    for begin, end, n in vectorizer.spans([text + " end"])[0]:
        form = (text + " end")[begin:end].replace("İ", "i").lower()
        assert unicodedata.normalize("NFC", form) == vectorizer.vocabulary_[n]
        found[n] += 1
    assert found.tolist() == counts.toarray()[0].tolist()


# Languages


def test_every_stemmer_has_stop_words_but_four():
    without = {"nepali", "serbian", "tamil", "yiddish"}
    variants = {"porter", "dutch_porter"}
    assert set(snowballstemmer.algorithms()) - variants - set(_ISO_CODES) == without


@pytest.mark.parametrize("name", sorted(_ISO_CODES))
def test_stop_words_go_by_name_and_code(name):
    code = _ISO_CODES[name]
    assert stop_words_of(name) == stop_words_of(code)
    if name != "english":
        assert set(stop_words_of(name)) == stopwordsiso.stopwords(code)
    text = " ".join([*stop_words_of(name), "xylophone"])
    vectorizer = TextVectorizer(stop_words=name, tokenizer=str.split).fit([text])
    assert vectorizer.vocabulary_ == ["xylophone"]


def test_all_languages_of_the_package_have_a_name():
    assert set(_ISO_CODES.values()) == set(stopwordsiso.langs())
    with pytest.raises(ValueError, match=r"no stop words for 'xx'.*german.*zulu\.$"):
        TextVectorizer(stop_words="xx").fit(["Der Hund"])


@pytest.mark.parametrize("language", snowballstemmer.algorithms())
def test_stems_of_every_language(language):
    words = ["nationalities", "häuser", "книгами", "किताबों", "كتابها", "βιβλία"]
    vectorizer = TextVectorizer(stem=language).fit([" ".join(words)])
    theirs = snowballstemmer.stemmer(language).stemWords(words)
    assert vectorizer.vocabulary_ == sorted(theirs)


# Scripts without blanks


@pytest.mark.parametrize("texts", [CHINESE, JAPANESE, THAI, BURMESE, KHMER, LAO])
def test_a_script_without_blanks_needs_a_tokenizer(texts):
    message = r"without spaces .* Give a tokenizer .*docs/languages.md\.$"
    with pytest.raises(ValueError, match=message):
        TextVectorizer().fit(texts)
    with pytest.raises(ValueError, match=message):
        TextVectorizer(ngrams=(1, 2)).fit(texts)
    assert TextVectorizer(tokenizer=str.split).fit(texts).vocabulary_


@pytest.mark.parametrize(
    "text",
    [
        "自动 驾驶 汽车 将 保险 责任 转移",
        "自動 運転 車 の 損害 賠償 責任 サンフランシスコ",
        "แมว และ สุนัข นอนหลับ อยู่ ใน บ้าน มาตรการ เศรษฐกิจ ราชการ ประเทศไทย",
        "the Chinese for self driving cars is 自动驾驶汽车 and so they write it",
        "한국어는 단어 사이에 공백이 있습니다",
    ],
)
@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2), (2, 2)])
def test_what_is_cut_already_or_mostly_of_another_script_is_taken(text, ngrams):
    assert TextVectorizer(ngrams=ngrams).fit([text]).vocabulary_


def test_characters_may_be_words():
    assert "汽" in TextVectorizer(pattern=r"\w").fit(["自动驾驶汽车"]).vocabulary_


# Tokenizers


def cut(text):
    """Syllables of two letters."""
    return [text[n : n + 2] for n in range(0, len(text), 2)]


class Halves:
    def __call__(self, text):
        return iter([text[: len(text) // 2], text[len(text) // 2 :]])


def test_a_tokenizer_says_what_is_a_word():
    vectorizer = TextVectorizer(tokenizer=cut)
    counts = vectorizer.fit_transform(["abcdAB!?12c", "cde\u0301"])
    assert vectorizer.vocabulary_ == [
        "ab",
        "c",
        "cd",
        "\u00e9",
    ]
    assert counts.toarray().tolist() == [[2, 1, 1, 0], [0, 0, 1, 1]]
    assert vectorizer.spans(["cd??AB"]) == [[(0, 2, 2), (4, 6, 0)]]
    assert clone(vectorizer).get_params()["tokenizer"] is cut
    assert TextVectorizer(tokenizer=Halves()).fit(["abcd"]).vocabulary_ == ["ab", "cd"]
    plain = TextVectorizer(tokenizer=cut, lowercase=False, stop_words=["AB"])
    assert plain.fit(["ABab"]).vocabulary_ == ["ab"]


def test_words_that_a_text_does_not_have_are_counted_but_not_found():
    vectorizer = TextVectorizer(tokenizer=lambda text: ["be", *text.split()[1:]])
    assert vectorizer.fit_transform(["am here"]).toarray().tolist() == [[1, 1]]
    assert vectorizer.spans(["am here"]) == [[(3, 7, 1)]]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"tokenizer": "jieba.lcut"}, TypeError, "must be a function .* got 'jieba"),
        ({"tokenizer": cut, "pattern": "x+"}, ValueError, "cannot both define"),
        ({"tokenizer": lambda text: [1]}, TypeError, "return strings, got 1 of"),
        ({"tokenizer": lambda text: ["?"]}, ValueError, "No word is left"),
    ],
)
def test_wrong_tokenizers_get_one_sentence(settings, error, message):
    with pytest.raises(error, match=message):
        TextVectorizer(**settings).fit(["abcd"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.cut", "No module named 'nowhere'"),
        ("json.nothing", "no attribute 'nothing'"),
        ("json.decoder.NaN", "is of type float"),
        ("not a name", "invalid format"),
        ("broken_words.cut", "ZeroDivisionError: division by zero"),
    ],
)
def test_names_of_tokenizers(name, message, tmp_path, monkeypatch):
    (tmp_path / "broken_words.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_tokenizer("json.loads") is find_tokenizer("json:loads") is json.loads
    with pytest.raises(ValueError, match=message):
        find_tokenizer(name)


@pytest.fixture(params=[ParsimoniousTopicModel, LDA])
def fitted(request):
    texts = [record["text"] for record in documents()]
    corpus = count_texts(texts, vectorizer=TextVectorizer(tokenizer=cut))
    return request.param(2, random_state=0).fit(corpus), corpus


def test_a_saved_model_has_the_name_alone_and_refuses_to_guess(fitted, tmp_path):
    model, corpus = fitted
    model.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.analyser_["settings"]["tokenizer"] == f"{__name__}.cut"
    vectorizer = TextVectorizer.from_dict(loaded.analyser_)
    message = rf"tokenizer '{__name__}.cut', .*use_tokenizer or --tokenizer\.$"
    for act in (
        lambda: vectorizer.transform(corpus.texts),
        lambda: vectorizer.spans(corpus.texts),
        lambda: Inference(loaded),
    ):
        with pytest.raises(ValueError, match=message):
            act()
    loaded.save(tmp_path / "again")  # the name is not lost
    loaded = load_model(tmp_path / "again")
    assert loaded.use_tokenizer(cut) is loaded
    vectorizer = TextVectorizer.from_dict(loaded.analyser_)
    counts = vectorizer.transform(corpus.texts)
    np.testing.assert_array_equal(counts.toarray(), corpus.counts.toarray())
    assert vectorizer.to_dict()["tokenizer"] is cut


def test_a_report_of_texts_needs_the_tokenizer(tmp_path):
    texts = [record["text"] for record in documents()]
    corpus = count_texts(texts, vectorizer=TextVectorizer(tokenizer=cut))
    model = ParsimoniousTopicModel(2, random_state=0).fit(corpus)
    page = to_html(model, corpus)
    assert f"{__name__}.cut" in page
    model.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    with pytest.raises(ValueError, match=r"give it with model\.use_tokenizer"):
        to_html(loaded, corpus)
    assert to_html(loaded.use_tokenizer(cut), corpus) == page


def test_counts_need_no_tokenizer(tmp_path):
    vectorizer = TextVectorizer(tokenizer=cut).fit(["abcd"])
    saved = {k: v for k, v in vectorizer.to_dict().items() if k != "tokenizer"}
    (tmp_path / "a.ldac").write_text("1 0:3\n")
    (tmp_path / "a.vocab").write_text("cd\n")
    again = TextVectorizer.from_dict(json.loads(json.dumps(saved)))
    corpus = read_corpus(tmp_path / "a.ldac", vectorizer=again)
    assert corpus.counts.toarray().tolist() == [[0, 3]]


def test_no_code_that_a_file_names_is_run(fitted, tmp_path, monkeypatch):
    """Not even imported: that would run it."""
    (tmp_path / "hostile.py").write_text("raise SystemExit('run')")
    monkeypatch.syspath_prepend(tmp_path)
    model, corpus = fitted
    model.analyser_["settings"]["tokenizer"] = "hostile.cut"
    model.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    with pytest.raises(ValueError, match=r"'hostile.cut'"):
        TextVectorizer.from_dict(loaded.analyser_).transform(corpus.texts)
    assert "hostile" not in sys.modules
    for wrong in ("hostile.cut", 3):  # where only a function may be
        with pytest.raises(ValueError, match="not settings of text"):
            TextVectorizer.from_dict({**loaded.analyser_, "tokenizer": wrong})


def test_use_tokenizer_is_for_models_that_had_one():
    model = LDA(1).fit([[1.0, 2.0]])
    with pytest.raises(ValueError, match="fitted without one"):
        model.use_tokenizer(cut)
    model.fit(count_texts(["ab cd"]))
    with pytest.raises(ValueError, match="fitted without one"):
        model.use_tokenizer(cut)
    with pytest.raises(TypeError, match="must be a function"):
        model.use_tokenizer("jieba.lcut")


# From the command line


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with texts and a module of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("own_words.py").write_text("def cut(text):\n    return text.split('-')\n")
    lines = (
        json.dumps({**record, "text": record["text"].replace(" ", "-")})
        for record in documents()
    )
    Path("texts.jsonl").write_text("\n".join(lines))
    yield tmp_path
    sys.modules.pop("own_words", None)


def test_commands_take_a_tokenizer_by_name(folder):
    done = run(
        *("fit", "texts.jsonl", "-o", "model", "--topics", 2, "--keep-text"),
        *("--tokenizer", "own_words.cut"),
    )
    assert done.exit_code == 0, done.stderr
    assert load_model("model").analyser_["settings"]["tokenizer"] == "own_words.cut"
    assert "own_words.cut" in run("inspect", "model").stdout
    assert "boats" in run("topics", "model").stdout
    for command in (
        ("infer", "model", "texts.jsonl"),
        ("evaluate", "model", "texts.jsonl"),
        ("report", "model"),
        ("report", "model", "texts.jsonl"),
        ("groups", "model", "texts.jsonl", "--by", "label"),
    ):
        refused = run(*command)
        assert refused.exit_code == 1
        assert "Error: The texts of the model were cut" in refused.stderr
        assert refused.stderr.count("\n") == 1
        done = run(*command, "--tokenizer", "own_words:cut")
        assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("fit", "texts.jsonl", "-o", "m", "--tokenizer", "nowhere.cut"), 2, "nowhere"),
        (
            ("infer", "m", "texts.jsonl", "--tokenizer", "own_words"),
            2,
            "of type module",
        ),
        (("serve", "m", "--tokenizer", "own_words.cat"), 2, "no attribute 'cat'"),
        (("inspect", "a.ldac", "--tokenizer", "own_words.cut"), 1, "holds counts"),
    ],
)
def test_wrong_names_get_one_sentence(folder, arguments, code, message):
    Path("a.ldac").write_text("1 0:3\n")
    done = run(*arguments)
    assert done.exit_code == code
    assert message in " ".join(done.stderr.split())


def test_a_model_without_tokenizer_takes_none(folder):
    assert run("fit", "texts.jsonl", "-o", "m", "--topics", 1).exit_code == 0
    done = run("infer", "m", "texts.jsonl", "--tokenizer", "own_words.cut")
    assert (done.exit_code, done.stderr) == (
        1,
        "Error: A tokenizer cannot be set: the model was fitted without one.\n",
    )


def test_chinese_without_tokenizer_on_the_command_line(folder):
    Path("zh.txt").write_text("\n".join(CHINESE), encoding="utf-8")
    done = run("fit", "zh.txt", "-o", "m")
    assert done.exit_code == 1
    assert "Give a tokenizer (tokenizer=..., --tokenizer)" in done.stderr


@given(st.text(st.characters(codec="ascii"), max_size=60), st.booleans())
def test_ascii_takes_a_faster_way_to_the_same_words(text, lowercase):
    whole = regex.findall(WORD_PATTERN, text.lower() if lowercase else text)
    assert Cutter(WORD_PATTERN, lowercase)(text) == whole
