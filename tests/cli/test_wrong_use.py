"""Wrong use ends with one sentence: 1 for wrong data, 2 for wrong options."""

import pytest
from tests.cli.runner import run

DATA = [
    ("fit {f}/none.txt", "There is no file or folder {f}/none.txt."),
    ("fit {f}/counts.ldac --stem english",
     "{f}/counts.ldac holds counts, not text, so --stem cannot apply."),
    ("fit {f}/counts.ldac --min-df 2",
     "{f}/counts.ldac holds counts, not text, so --min-df cannot apply."),
    ("fit {f}/texts.jsonl --vocabulary {f}/counts.vocab",
     "{f}/texts.jsonl holds text, not counts: --vocabulary cannot apply."),
    ("fit {f}/texts.jsonl --where colour=red",
     "No document has the field 'colour' to select by; there are id, labels, split."),
    ("fit {f}/texts.jsonl --where split=red",
     "{f}/texts.jsonl holds no document with split=red."),
    ("fit {f}/texts.jsonl --pattern (",
     "The pattern '(' is not a regular expression: missing ), unterminated subpattern "
     "at position 0."),
    ("fit {f}/texts.jsonl --max-topics 2 --min-topics 3",
     "max_topics must not be smaller than min_topics. Got max_topics=2 and "
     "min_topics=3 instead."),
    ("fit {f}/texts", "{f}/texts must hold a corpus, but is a model."),
    ("topics {f}", "{f} holds nothing saved: no manifest.json."),
    ("infer {f}/none {f}/texts.jsonl",
     "{f}/none holds nothing saved: no manifest.json."),
    ("infer {f}/texts {f}/none.txt", "There is no file or folder {f}/none.txt."),
    ("infer {f}/counts {f}/texts.jsonl",
     "{f}/texts.jsonl holds text, but {f}/counts was fitted to counts and does not "
     "know how to cut text into words; give counts over the same vocabulary."),
    ("demo -o {f}/texts.jsonl", "{f}/texts.jsonl: file exists."),
]  # fmt: skip

OPTIONS = [
    ("fit texts.txt", "Missing option '-o' / '--output'."),
    ("fit texts.txt -o m --topics many",
     "Invalid value for '--topics': 'many' is neither auto nor a number from 1 up."),
    ("fit texts.txt -o m --topics 0",
     "Invalid value for '--topics': '0' is neither auto nor a number from 1 up."),
    ("fit texts.txt -o m --topics 5 --step 2", "--step goes with --topics auto only."),
    ("fit texts.txt -o m --ngrams 3",
     "Invalid value for '--ngrams': '3' is not a range of lengths, such as 1-2."),
    ("fit texts.txt -o m --ngrams 2-1",
     "Invalid value for '--ngrams': '2-1' is not a range of lengths, such as 1-2."),
    ("fit texts.txt -o m --min-df few",
     "Invalid value for '--min-df': 'few' is neither a number of documents, such as "
     "5, nor a share of them, such as 0.5."),
    ("fit texts.txt -o m --where train",
     "Invalid value for '--where': 'train' is not of the form FIELD=VALUE."),
    ("fit texts.txt -o m --where a=1 --where a=2",
     "Invalid value for '--where': the field 'a' can be given only once."),
    ("fit texts.txt -o m --jobs 0",
     "Invalid value for '--jobs': there must be at least one thread, or -1 for all."),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), DATA)
def test_wrong_data(folder, tmp_path, words, message):
    arguments = [word.format(f=folder) for word in words.split()]
    if arguments[0] == "fit":
        arguments += ["-o", tmp_path / "m"]
    result = run(*arguments)
    assert result.stderr == f"Error: {message.format(f=folder)}\n"
    assert (result.exit_code, result.stdout) == (1, "")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(("words", "message"), OPTIONS)
def test_wrong_options(words, message):
    result = run(*words.split())
    assert result.stderr == (
        "Usage: leantopics fit [OPTIONS] CORPUS\n"
        f"Try 'leantopics fit --help' for help.\n\nError: {message}\n"
    )
    assert (result.exit_code, result.stdout) == (2, "")
