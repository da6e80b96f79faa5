import json

import pytest
from tests.cli.runner import SHARED, SUBJECTS, documents, run


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Holds the corpus as JSON lines and as lda-c, and a model of each."""
    folder = tmp_path_factory.mktemp("cli")
    records = list(documents())
    with open(folder / "texts.jsonl", "w") as out:
        out.writelines(json.dumps(record) + "\n" for record in records)
    words = sorted({*SUBJECTS["sea"], *SUBJECTS["wood"], *SHARED})
    (folder / "counts.vocab").write_text("\n".join(words) + "\n")
    with open(folder / "counts.ldac", "w") as out:
        for record in records:
            text = record["text"].split()
            pairs = [f"{n}:{text.count(w)}" for n, w in enumerate(words) if w in text]
            out.write(f"{len(pairs)} {' '.join(pairs)}\n")
    for source in ("texts.jsonl", "counts.ldac"):
        result = run(
            "fit",
            folder / source,
            "-o",
            folder / source.partition(".")[0],
            "--topics",
            2,
        )
        assert result.exit_code == 0, result.output
    return folder
