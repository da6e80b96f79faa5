import json

import pytest
from tests.cli.runner import run

from leantopics import ParsimoniousTopicModel


@pytest.mark.parametrize("how", ["starts", "bootstrap"])
def test_what_comes_again_is_told_and_kept(folder, tmp_path, how):
    model = tmp_path / "m"
    run("fit", folder / "texts.jsonl", "-o", model, "--topics", 2)
    options = ["--bootstrap"] if how == "bootstrap" else []
    result = run(
        "stability", model, folder / "texts.jsonl", "--repeats", 2, "--json", *options
    )
    assert result.exit_code == 0
    assert result.stderr == (
        "2 topics, as set; the repeats use it too, so they test only the topics; "
        f"saved in {model}\n"
    )
    told = json.loads(result.stdout)
    kept = ParsimoniousTopicModel.load(model).stability_
    assert (told["how"], told["orders"]) == (how, [2, 2])
    assert kept.how == how
    assert [row["found"] for row in told["topics"]] == kept.found.tolist()
    means = [row["agreement"] for row in told["topics"]]
    assert means == pytest.approx(kept.agreement.mean(axis=0))


def test_repeats_tell_of_the_number_only_where_they_choose_it(folder, tmp_path):
    model, edited = tmp_path / "m", tmp_path / "e"
    texts, few = folder / "texts.jsonl", ("--repeats", 1)
    run("fit", texts, "-o", model, "--max-topics", 4)
    chosen = run("stability", model, texts, *few).stderr
    assert chosen == f"2 topics; the repeats chose 2; saved in {model}\n"
    run("edit", model, texts, "-o", edited, "--pin", "0=some")
    assert run("stability", edited, texts, *few).stderr == (
        "2 topics after changes by hand; the repeats use only this number, so they "
        f"test the topics, not their number; saved in {edited}\n"
    )
