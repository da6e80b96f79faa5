from tests.cli.runner import run

from leantopics import Corpus


def test_page_figures_and_tables(folder, tmp_path):
    page, drawn, written = (tmp_path / name for name in ("r.html", "figures", "tables"))
    result = run(
        "report",
        folder / "texts",
        folder / "texts.jsonl",
        "-o",
        page,
        "--title",
        "Sea and wood",
        "--figures",
        drawn,
        "--export",
        written,
    )
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert result.stderr == f"The report is in {page}.\n"
    text = page.read_text()
    assert '<h1 dir="auto">Sea and wood</h1>' in text
    assert '"kind":"text"' in text
    assert {file.suffix for file in drawn.iterdir()} == {".svg", ".png"}
    assert len(list(written.iterdir())) == 5


def test_texts_that_were_kept_are_shown(folder, tmp_path):
    model, page = tmp_path / "m", tmp_path / "r.html"
    fitted = run(
        "fit", folder / "texts.jsonl", "-o", model, "--topics", 2, "--keep-text"
    )
    assert fitted.exit_code == 0, fitted.output
    assert run("report", model, "-o", page).exit_code == 0
    text = page.read_text()
    assert '"kind":"text","training":true' in text
    assert "Topics of m" in text


def test_without_texts_the_page_says_so(folder, tmp_path):
    page = tmp_path / "r.html"
    assert run("report", folder / "texts", "-o", page).exit_code == 0
    assert "no corpus was given" in page.read_text()


def test_a_page_with_texts_is_not_lost_by_mistake(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bare, full = ("report", folder / "texts"), (folder / "texts.jsonl",)
    assert run(*bare).exit_code == 0
    for _ in range(2):
        assert run(*bare, *full).stderr == "The report is in report.html.\n"
    page = (tmp_path / "report.html").read_text()
    result = run(*bare)
    assert result.exit_code == 1
    assert result.stderr == (
        "Error: report.html shows the texts of documents, but a page made now would "
        "not: give the CORPUS with its texts, or name a page with -o.\n"
    )
    assert (tmp_path / "report.html").read_text() == page
    assert run(*bare, "-o", "report.html").exit_code == 0
    assert (tmp_path / "report.html").read_text() != page


def test_models_side_by_side(folder, tmp_path):
    page = tmp_path / "r.html"
    other = tmp_path / "other"
    options = ("--topics", 2, "--seed", 1)
    assert run("fit", folder / "texts.jsonl", "-o", other, *options).exit_code == 0
    assert run("report", folder / "texts", "--with", other, "-o", page).exit_code == 0
    text = page.read_text()
    assert 'id="comparison"' in text
    assert "<bdi>other</bdi>" in text


def test_wrong_use(folder, tmp_path):
    page = tmp_path / "r.html"
    result = run("report", tmp_path / "nothing", "-o", page)
    assert result.exit_code == 1
    assert "There is no file or folder" in result.stderr
    assert not page.exists()
    result = run("report", folder / "counts", folder / "texts.jsonl", "-o", page)
    assert result.exit_code == 1
    assert "give counts over the same vocabulary" in result.stderr
    result = run("report", folder / "texts", "-o", tmp_path / "no" / "r.html")
    assert result.exit_code == 1
    result = run("report", folder / "texts", "--documents", -1)
    assert result.exit_code == 2


def test_counts_cannot_keep_text(folder, tmp_path):
    result = run("fit", folder / "counts.ldac", "-o", tmp_path / "m", "--keep-text")
    assert result.exit_code == 1
    assert "--keep-text has no texts to keep" in result.stderr
    assert not (tmp_path / "m").exists()


def test_texts_counted_in_an_untold_way_are_not_kept(tmp_path):
    Corpus([[1, 2], [2, 1]], texts=["a b b", "a a b"]).save(tmp_path / "c")
    result = run("fit", tmp_path / "c", "-o", tmp_path / "m", "--keep-text")
    assert result.exit_code == 1
    assert "does not record how its texts were counted" in result.stderr


def test_tables_for_spreadsheets(folder, tmp_path):
    rows = "".join(f'{{"id": "{name}", "text": "boats"}}\n' for name in ("=1+1", "-2"))
    (tmp_path / "new.jsonl").write_text(rows)
    words = ("report", folder / "texts", tmp_path / "new.jsonl", "-o", tmp_path / "r")

    def documents(*options):
        assert run(*words, "--export", tmp_path / "e", *options).exit_code == 0
        lines = (tmp_path / "e" / "documents.csv").read_text().splitlines()[1:]
        return [line.split(",")[0] for line in lines]

    assert set(documents()) == {"=1+1", "-2"}
    assert set(documents("--csv-safe")) == {"'=1+1", "-2"}
    result = run(*words, "--csv-safe")
    assert result.exit_code == 2
    assert "--csv-safe needs --export." in result.stderr
