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
    assert result.stderr == f"2 topics, the repeats have 2; kept in {model}\n"
    told = json.loads(result.stdout)
    kept = ParsimoniousTopicModel.load(model).stability_
    assert (told["how"], told["orders"]) == (how, [2, 2])
    assert kept.how == how
    assert [row["found"] for row in told["topics"]] == kept.found.tolist()
    means = [row["agreement"] for row in told["topics"]]
    assert means == pytest.approx(kept.agreement.mean(axis=0))
