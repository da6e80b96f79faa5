import pytest
from tests.cli.runner import SUBJECTS, run

from leantopics import ParsimoniousTopicModel


@pytest.fixture
def model(folder, tmp_path):
    settings = ("--topics", 3, "--evidence", "words")
    run("fit", folder / "texts.jsonl", "-o", tmp_path / "m", *settings)
    return tmp_path / "m"


def edit(model, folder, *options):
    output = model.with_name("edited")
    return run("edit", model, folder / "texts.jsonl", "-o", output, *options), output


def test_topics_are_merged_and_words_pinned(model, folder):
    before = ParsimoniousTopicModel.load(model)
    firsts = [before.top_words(j, 1)[0][0] for j in range(3)]
    by_subject = [[j for j in range(3) if firsts[j] in s] for s in SUBJECTS.values()]
    (other,), (a, b) = sorted(by_subject, key=len)
    salient = before.salient_word_prob_[[other]].indices
    word = next(w for n, w in enumerate(before.vocabulary_) if n not in salient)
    result, output = edit(
        model, folder, "--merge", f"{a},{b}", "--pin", f"{other}={word}"
    )
    assert (result.exit_code, result.stdout) == (0, "")
    after = ParsimoniousTopicModel.load(output)
    change = after.bic_ - before.bic_
    moves = "rises" if change > 0 else "falls"
    assert result.stderr == (
        f"2 topics instead of 3, BIC {moves} by {abs(change):,.0f} of "
        f"{before.bic_:,.0f}\nsaved in {output}\n"
    )
    assert list(after.pinned_words_.values()) == [[word]]
    assert after.analyser_ == before.analyser_


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ((), 1, "There must be something to merge, drop or pin."),
        (("--merge", "1"), 2, "'1' is not of the form TOPIC,TOPIC."),
        (("--pin", "1="), 2, "'1=' is not of the form TOPIC=WORD,WORD."),
        (("--pin", "0=zebra"), 1, "but 'zebra' is not"),
        (("--drop", "7"), 1, "7"),
    ],
)
def test_wrong_use_changes_nothing(model, folder, options, code, message):
    result, output = edit(model, folder, *options)
    assert result.exit_code == code
    assert message in result.stderr
    assert not output.exists()
