import json

import numpy as np
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
            "--evidence",
            "words",
        )
        assert result.exit_code == 0, result.output
    return folder


@pytest.fixture
def pictures(tmp_path):
    """A folder with a tiny corpus where LabelMe would be."""
    draw = np.random.default_rng(0)
    folder = tmp_path / "data" / "labelme"
    folder.mkdir(parents=True)
    for part in ("train", "test"):
        with open(folder / f"{part}-data.dat", "w") as out:
            for d in range(24):
                likely = np.where(np.arange(158) % 3 == d % 3, 5.0, 1.0)
                counts = draw.multinomial(300, likely / likely.sum())
                used = np.flatnonzero(counts)
                pairs = " ".join(f"{n}:{counts[n]}" for n in used)
                out.write(f"{len(used)} {pairs}\n")
        labels = "".join(f"{d % 3}\n" for d in range(24))
        (folder / f"{part}-label.dat").write_text(labels)
    return tmp_path / "data"
