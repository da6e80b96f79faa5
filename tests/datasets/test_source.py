import hashlib
import json
import lzma
import shutil

import pytest
from tests.datasets.archives import write_tar
from tests.datasets.server import body, serve, status

from leantopics.datasets import fetch
from leantopics.datasets.fetch import Archive
from leantopics.datasets.source import Source, content_digest, read_members
from leantopics.io import open_records

TEXTS = {"1": b"a cat", "2": b"a d\xe4chshund"}


def rows(archive):
    for path, raw in read_members(archive):
        text = raw.decode("latin-1")
        yield {"id": path[-1], "text": text, "labels": [path[-2]], "split": None}


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch, no_data):
    monkeypatch.setattr(fetch, "PAUSES", (0.001,))


@pytest.fixture
def archive(tmp_path):
    return write_tar(
        tmp_path / "pets.tar.gz", {f"pets/tame/{k}": v for k, v in TEXTS.items()}
    )


def source(*addresses, sha256=None, n_docs=2, digest=""):
    home = Archive("pets.tar.gz", addresses, sha256)
    return Source("pets.jsonl", home, rows, n_docs, digest)


def files(folder):
    return sorted(file.name for file in folder.rglob("*"))


def test_a_download_becomes_a_file_in_the_cache(archive, cache):
    with serve(body(archive.read_bytes())) as server:
        pets = source(server.address)
        file = pets.find(None, True)
        assert pets.find(None, False) == pets.find(None, True) == file
        assert len(server.requests) == 1
    assert file == cache / "pets.jsonl.zst"
    records = list(open_records(file))
    assert [record.text for record in records] == ["a cat", "a dächshund"]
    assert records[0].labels == ["tame"]
    sums = [f"{name}.sha256" for name in ("pets.jsonl.zst", "pets.tar.gz")]
    assert files(cache) == sorted(["pets.jsonl.zst", *sums])
    for name, path in zip(sums, (file, archive), strict=True):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert (cache / name).read_text() == f"{digest}  {path.name}\n"


@pytest.mark.parametrize("suffix", ["", ".xz", ".gz", ".zst"])
def test_a_file_in_the_folder_comes_first(tmp_path, suffix, monkeypatch):
    file = tmp_path / f"pets.jsonl{suffix}"
    file.touch()
    assert source().find(tmp_path, False) == file
    assert source().find(tmp_path, True) == file
    monkeypatch.setenv("LEANTOPICS_DATA", str(tmp_path))
    assert source().find(None, False) == file


def test_the_archive_may_lie_in_the_folder(archive, cache, monkeypatch):
    file = source().find(archive.parent, False)
    assert file.parent == cache
    assert archive.is_file()
    monkeypatch.setenv("LEANTOPICS_DATA", str(archive.parent))
    assert source().find(None, False) == file
    with pytest.raises(ValueError, match=r"pets.tar.gz has the SHA-256 .* must have 0"):
        shutil.rmtree(cache)
        source(sha256="0").find(archive.parent, False)
    assert not cache.exists()


def test_an_explicit_folder_is_not_replaced_by_the_cache(archive, tmp_path):
    source().find(archive.parent, False)
    with pytest.raises(FileNotFoundError, match=r"pets.jsonl.xz is missing"):
        source().find(tmp_path / "elsewhere", False)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"n_docs": 3}, "holds 2 documents, but must hold 3"),
        ({"digest": "0"}, "holds other documents than expected"),
    ],
)
def test_other_documents_are_refused(archive, cache, changes, sentence):
    with serve(body(archive.read_bytes())) as server:
        with pytest.raises(ValueError, match=sentence):
            source(server.address, **changes).find(None, True)
        digest = content_digest(rows(archive))
        assert files(cache) == []
        source(server.address, digest=digest).find(None, True)


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_a_cut_archive_leaves_nothing(archive, cache, cut):
    raw = archive.read_bytes()
    with serve(body(raw, length=len(raw) - cut)) as server:
        with pytest.raises(ValueError, match="cannot be unpacked"):
            source(server.address).find(None, True)
    assert files(cache) == []


def test_no_archive_at_all_leaves_nothing(cache):
    with serve(body(b"<html>Not here any more</html>")) as server:
        with pytest.raises(ValueError, match="damaged or not an archive"):
            source(server.address).find(None, True)
    with serve(status(404)) as server:
        with pytest.raises(ConnectionError, match="404"):
            source(server.address).find(None, True)
    assert files(cache) == []


def test_a_second_download_must_be_the_first(archive, cache, tmp_path):
    with serve(body(archive.read_bytes())) as server:
        source(server.address).find(None, True)
        record = cache / "pets.jsonl.zst.sha256"
        (cache / "pets.jsonl.zst").unlink()
        record.unlink()
        source(server.address).find(None, True)
    record.unlink()
    other = write_tar(
        tmp_path / "other", {"pets/wild/1": b"a wolf", "pets/wild/2": b""}
    )
    with serve(body(other.read_bytes())) as server:
        with pytest.raises(ValueError, match=r"or delete .*pets.tar.gz.sha256"):
            source(server.address).find(None, True)
        (cache / "pets.tar.gz.sha256").unlink()
        source(server.address).find(None, True)


@pytest.mark.parametrize("damage", ["changed", "gone"])
def test_damage_in_the_cache_is_noticed(archive, cache, damage):
    file = source().find(archive.parent, False)
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"is damaged.* delete .*sha256"):
        source().find(None, False)
    (cache / "pets.jsonl.zst.sha256").unlink()
    source().find(archive.parent, False)


def test_a_file_without_its_checksum_does_not_count(archive, cache):
    """As a run leaves it that was killed between the two."""
    file = source().find(archive.parent, False)
    (cache / "pets.jsonl.zst.sha256").unlink()
    file.write_bytes(b"half")
    assert source().find(archive.parent, False) == file
    assert len(list(open_records(file))) == 2


def test_what_to_do_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"set the .*DATA .* download=True"):
        source().find(None, False)
    with pytest.raises(FileNotFoundError, match=r"is missing.* download=True"):
        source().find(tmp_path, False)


def test_members_are_read_never_written(tmp_path):
    archive = write_tar(
        tmp_path / "bad.tar.gz", {"../../evil": b"x", "/etc/evil": b"y", "a/b": b"z"}
    )
    before = files(tmp_path)
    assert [raw for _, raw in read_members(archive)] == [b"x", b"y", b"z"]
    assert files(tmp_path) == before


def test_digest_knows_ids_labels_and_words():
    first = [
        {"id": "1", "labels": ["a", "b"], "text": "One  Cat"},
        {"id": "2", "labels": [], "text": "dogs"},
    ]
    digest = content_digest(first)
    assert content_digest(first[::-1]) == digest
    for field, value in (("id", "3"), ("labels", ["a"]), ("text", "one dog")):
        assert content_digest([first[0] | {field: value}, first[1]]) != digest
    assert content_digest(first[:1]) != digest


def test_rows_survive_the_file(archive):
    file = source().find(archive.parent, False)
    with lzma.open(archive.parent / "pets.jsonl.xz", "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows(archive))
    prepared = source().find(archive.parent, False)
    assert list(open_records(file)) == list(open_records(prepared))
