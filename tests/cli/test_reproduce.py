import csv
import json

import pytest
from tests.cli.runner import run


def test_reproduce(pictures, tmp_path):
    out = tmp_path / "out"
    arguments = ("--folder", pictures, "--seeds", 1, "--step", 8, "-j", 1)
    methods = ("--methods", "ptm-published,lda")
    result = run("reproduce", "labelme", "-o", out, *arguments, *methods)
    assert result.exit_code == 0, result.output
    assert "| labelme | 24 | 24 | 158 / 158 |" in result.stderr
    assert "| labelme | PTM, published |" in result.stdout
    assert "| 46 (3.4) |" in result.stdout
    with open(out / "results.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["method"] for row in rows} == {"ptm-published", "lda"}

    again = ("reproduce", "labelme", "-o", out, *arguments, *methods)
    printed = run(*again, "--csv")
    assert printed.stdout == (out / "results.csv").read_text()
    assert printed.stderr.endswith(f"are in {out}.\n")
    documents = json.loads(run(*again, "--json").stdout)
    assert [row["n_topics"] for row in documents] == [int(r["n_topics"]) for r in rows]
    assert documents[0]["converged"] is True


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (
            "none -o {out}",
            1,
            "Error: There is no corpus 'none'; there are 20newsgroups",
        ),
        ("labelme", 2, "Missing option '-o'"),
        ("labelme -o {out} --seeds 0", 2, "Invalid value for '--seeds'"),
        ("labelme -o {out} -j 0", 2, "must be 1 or more, or -1 for all processors."),
        (
            "labelme -o {out} --folder {data} --methods nmf",
            1,
            "There is no method 'nmf'",
        ),
    ],
)
def test_wrong_use_is_one_sentence(pictures, tmp_path, arguments, code, message):
    filled = arguments.format(out=tmp_path / "out", data=pictures).split()
    result = run("reproduce", *filled)
    assert result.exit_code == code
    assert message in result.stderr
    assert "Traceback" not in result.output
