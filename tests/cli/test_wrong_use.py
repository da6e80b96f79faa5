"""Wrong use ends with one sentence: 1 for wrong data, 2 for wrong options."""

import pytest
from tests.cli.runner import run

from leantopics import LDA, Corpus

DATA = [
    ("fit {f}/none.txt", "There is no file or folder {f}/none.txt."),
    ("fit {f}/counts.ldac --stem english",
     "{f}/counts.ldac holds counts, not text, so --stem cannot apply."),
    ("fit {f}/counts.ldac --min-df 2",
     "{f}/counts.ldac holds counts, not text, so --min-df cannot apply."),
    ("fit {f}/texts.jsonl --vocabulary {f}/counts.vocab",
     "{f}/texts.jsonl is read as JSON lines, so vocabulary (--vocabulary) cannot "
     "apply: only lda-c, UCI docword and Matrix Market take it; leave it out, or give "
     "another format."),
    ("fit {f}/counts.ldac --text-field body",
     "{f}/counts.ldac is read as lda-c, so text_field (--text-field) cannot apply: "
     "only JSON lines, CSV, TSV, Parquet and Arrow take it; leave it out, or give "
     "another format."),
    ("fit {f}/texts.jsonl --format lines --id-field id",
     "{f}/texts.jsonl is read as one document per line, so id_field (--id-field) "
     "cannot apply: only JSON lines, CSV, TSV, Parquet and Arrow take it; leave it "
     "out, or give another format."),
    ("infer {f}/texts - --label-field kind",
     "<stdin> is read as one document per line, so label_field (--label-field) cannot "
     "apply: only JSON lines, CSV, TSV, Parquet and Arrow take it; leave it out, or "
     "give another format."),
    ("inspect {f}/saved --vocabulary {f}/counts.vocab",
     "{f}/saved is read as a saved corpus, so vocabulary (--vocabulary) cannot apply: "
     "only lda-c, UCI docword and Matrix Market take it; leave it out, or give another "
     "format."),
    ("inspect {f}/texts --where split=test",
     "{f}/texts is a model, not a corpus: --where cannot apply."),
    ("inspect {f}/texts -n 3",
     "{f}/texts is a model, not a corpus: --first cannot apply."),
    ("inspect {f}/none", "There is no file or folder {f}/none."),
    ("evaluate {f}/none {f}/texts.jsonl",
     "There is no file or folder {f}/none."),
    ("evaluate {f}/saved {f}/texts.jsonl",
     "{f}/saved must hold a model, but is a corpus."),
    ("evaluate {f}/counts {f}/texts.jsonl",
     "{f}/texts.jsonl holds text, but {f}/counts was fitted to counts and does not "
     "know how to split text into words; give counts over the same vocabulary."),
    ("convert {f}/none.txt -o x.csv", "There is no file or folder {f}/none.txt."),
    ("convert {f}/counts.ldac -o x --stem english",
     "{f}/counts.ldac holds counts, not text, so --stem cannot apply."),
    ("fit {f}/texts.jsonl --where colour=red",
     "No document has the field 'colour' to select by; the fields are id, labels, "
     "split."),
    ("fit {f}/texts.jsonl --where split=red",
     "{f}/texts.jsonl holds no document with split=red."),
    ("fit {f}/texts.jsonl --pattern (",
     "The pattern '(' is not a regular expression: missing ) at position 1."),
    ("fit {f}/texts.jsonl --max-topics 2 --min-topics 3",
     "max_topics must not be smaller than min_topics. Got max_topics=2 and "
     "min_topics=3 instead."),
    ("fit {f}/texts", "{f}/texts must hold a corpus, but is a model."),
    ("topics {f}", "{f} is not a saved model or corpus: it has no manifest.json."),
    ("topics {f}/texts.jsonl",
     "{f}/texts.jsonl is not a saved model or corpus: "
     "it is neither a folder nor a zip file."),
    ("infer {f}/none {f}/texts.jsonl",
     "There is no file or folder {f}/none."),
    ("infer {f}/texts {f}/none.txt", "There is no file or folder {f}/none.txt."),
    ("infer {f}/counts {f}/texts.jsonl",
     "{f}/texts.jsonl holds text, but {f}/counts was fitted to counts and does not "
     "know how to split text into words; give counts over the same vocabulary."),
    ("report {f}", "{f} is not a saved model or corpus: it has no manifest.json."),
    ("report {f}/saved", "{f}/saved must hold a model, but is a corpus."),
    ("report {f}/lda",
     "{f}/lda must hold a model of class ParsimoniousTopicModel, but holds one of "
     "class LDA: load it with leantopics.load_model."),
    ("report {f}/texts {f}/none.txt", "There is no file or folder {f}/none.txt."),
    ("report {f}/counts {f}/texts.jsonl",
     "{f}/texts.jsonl holds text, but {f}/counts was fitted to counts and does not "
     "know how to split text into words; give counts over the same vocabulary."),
    ("report {f}/texts --with {f}/none",
     "There is no file or folder {f}/none."),
    ("name {f}/none 0=Sea", "There is no file or folder {f}/none."),
    ("name {f}/texts 2=Sky",
     "topic must be a whole number from 0 to 1. Got 2 instead."),
    ("groups {f}/texts {f}/texts.jsonl --by colour",
     "No document has a value in the field 'colour' to group by; there are split, "
     "labels."),
    ("groups {f}/texts {f}/texts.jsonl --by split --period year",
     "The year of 'train' is not known: dates must be in ISO 8601, such as "
     "2026-11-16, or name the month, such as 16 Nov 2026."),
    ("groups {f}/texts {f}/texts.jsonl --by split --topic 7",
     "topic must be a whole number from 0 to 1. Got 7 instead."),
    ("infer {f}/lda {f}/counts.ldac --prediction shrunk",
     "{f}/lda is a model of class LDA, so --prediction cannot apply."),
    ("demo -o {f}/texts.jsonl", "{f}/texts.jsonl: file exists."),
]  # fmt: skip

OPTIONS = [
    ("fit texts.txt", "Missing option '-o' / '--output'."),
    ("fit texts.txt -o m --topics many",
     "Invalid value for '--topics': 'many' is neither auto nor a number from 1 up."),
    ("fit texts.txt -o m --topics 0",
     "Invalid value for '--topics': '0' is neither auto nor a number from 1 up."),
    ("fit texts.txt -o m --topics 5 --step 2",
     "--step can be used only with --topics auto."),
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
     "Invalid value for '--where': the field 'a' must be given once, but is "
     "given twice."),
    ("fit texts.txt -o m --jobs 0",
     "Invalid value for '--jobs': must be 1 or more, or -1 for "
     "all processors."),
    ("topics", "Missing argument 'MODEL'."),
    ("topics m -n 0",
     "Invalid value for '-n' / '--words': 0 is not in the range x>=1."),
    ("topics m --by fame",
     "Invalid value for '--by': 'fame' is not one of 'probability', 'salience'."),
    ("name m", "Give either TOPIC=NAME, --packet or --from, and only one of them."),
    ("name m sea",
     "Invalid value for '[TOPIC=NAME]...': 'sea' is not of the form TOPIC=NAME."),
    ("name m 0=Sea 0=Wood",
     "Invalid value for '[TOPIC=NAME]...': topic 0 must be named once, but is named "
     "twice."),
    ("infer m", "Missing argument 'CORPUS'."),
    ("infer m c --inference some",
     "Invalid value for '--inference': 'some' is not one of 'sparse', 'all'."),
    ("evaluate m c --prediction best",
     "Invalid value for '--prediction': 'best' is not one of 'shrunk', 'switched'."),
    ("report", "Missing argument 'MODEL'."),
    ("report m --documents -1",
     "Invalid value for '--documents': -1 is not in the range x>=0."),
    ("evaluate m", "Missing argument 'CORPUS'."),
    ("groups m c", "Missing option '--by'."),
    ("groups m c --by x --confidence 1",
     "Invalid value for '--confidence': 1.0 is not in the range 0<x<1."),
    ("groups m c --by x --level 1",
     "Invalid value for '--level': '1' is neither themes, topics nor a number from 2 "
     "up."),
    ("topics m --level themes --flat",
     "Give only one of --level, --flat and --themes."),
    ("fit c -o m --evidence bursts --no-themes",
     "Give only one of --evidence bursts and --no-themes."),
    ("inspect", "Missing argument 'PATH'."),
    ("convert texts.csv", "Missing option '-o' / '--output'."),
    ("convert texts.csv -o -",
     "Standard output takes texts only: give --to, one of jsonl, csv, tsv."),
    ("convert texts.csv -o - --to mtx",
     "Standard output takes texts only: give --to, one of jsonl, csv, tsv."),
    ("convert texts.csv -o x.jsonl --stem english",
     "--stem applies to counts, but jsonl holds texts."),
    ("datasets -o x", "-o needs the NAME of a corpus."),
    ("datasets --split test", "--split can be used only with -o."),
    ("datasets labelme -o x --csv",
     "-o saves a corpus and prints none, so --csv cannot be used."),
    ("compare texts.txt", "Missing option '-o' / '--output'."),
    ("compare texts.txt -o out --max-topics 0",
     "Invalid value for '--max-topics': 0 is not in the range x>=1."),
    ("reproduce -o out", "Missing argument 'DATASET'."),
    ("demo --seed -1",
     "Invalid value for '--seed': -1 is not in the range 0<=x<=4294967295."),
    ("completion tcsh",
     "Invalid value for 'SHELL': 'tcsh' is not one of 'bash', 'zsh', 'fish'."),
]  # fmt: skip


BOTH = ("topics m", "infer m c", "evaluate m c", "groups m c --by x", "inspect m",
        "datasets", "compare c -o o", "reproduce labelme -o o", "demo")  # fmt: skip


@pytest.fixture
def saved(folder):
    Corpus([[1, 2]]).save(folder / "saved")
    LDA(1, random_state=0).fit([[1, 2]]).save(folder / "lda")


@pytest.mark.parametrize(("words", "message"), DATA)
def test_wrong_data(folder, saved, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    arguments = [word.format(f=folder) for word in words.split()]
    if arguments[0] == "fit":
        arguments += ["-o", "m"]
    result = run(*arguments, input="a text\n")
    assert result.stderr == f"Error: {message.format(f=folder)}\n"
    assert (result.exit_code, result.stdout) == (1, "")
    assert list(tmp_path.iterdir()) == []


def wrong_use(words, message):
    command = words.split()[0]
    usage = run(command, "--help").stdout.splitlines()[0]
    result = run(*words.split())
    assert result.stderr == (
        f"{usage}\nTry 'leantopics {command} --help' for help.\n\nError: {message}\n"
    )
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize(("words", "message"), OPTIONS)
def test_wrong_options(words, message):
    wrong_use(words, message)


@pytest.mark.parametrize("words", BOTH)
def test_json_and_csv_exclude_each_other(words):
    told = "--json and --csv cannot be used together: give one."
    wrong_use(f"{words} --json --csv", told)


def test_an_unknown_command():
    result = run("fti")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "Usage: leantopics [OPTIONS] COMMAND [ARGS]...\n"
        "Try 'leantopics --help' for help.\n\n"
        "Error: No such command 'fti'. Did you mean 'fit'?\n"
    )
    assert run("topic", "m").stderr.endswith("Did you mean 'topics'?\n")
    assert "Did you mean" not in run("quux").stderr


def test_forms_of_csv_exclude_each_other():
    told = "--csv and --csv-safe cannot be used together: give one."
    wrong_use("topics m --csv --csv-safe", told)
