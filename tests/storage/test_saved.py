"""Saved folders and zip files: round trips, replacing, damage."""

import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.storage.toy import FORMS, save

from leantopics.storage import (
    FORMAT_VERSION,
    atomic_file,
    is_saved,
    load_folder,
    save_folder,
)


@given(
    array=hnp.arrays(
        st.sampled_from(["<f8", ">f4", "<i8", "|u1", "|b1"]),
        hnp.array_shapes(min_dims=0, min_side=0, max_dims=3),
        elements={"allow_nan": False},
    ),
    words=st.lists(st.text(st.characters())),
    content=st.dictionaries(st.text(), st.integers() | st.none() | st.text()),
)
def test_everything_saved_is_loaded_again(tmp_path_factory, array, words, content):
    folder = tmp_path_factory.mktemp("round")
    for name in FORMS:
        save_folder(
            folder / name,
            kind="model",
            content=content,
            arrays={"a": array, "turned": array.T},
            strings={"s": words},
        )
        loaded = load_folder(folder / name, kind="model")
        assert loaded.content == content
        assert loaded.strings == {"s": words}
        assert loaded.arrays["a"].dtype == array.dtype.newbyteorder("=")
        np.testing.assert_array_equal(loaded.arrays["a"], array)
        np.testing.assert_array_equal(loaded.arrays["turned"], array.T)
        assert loaded.arrays["a"].flags.writeable


def test_lone_surrogates_survive(tmp_path):
    save_folder(
        tmp_path / "f", kind="corpus", content={}, arrays={}, strings={"s": ["\ud800"]}
    )
    assert load_folder(tmp_path / "f", kind="corpus").strings == {"s": ["\ud800"]}


def test_manifest_lists_every_file(tmp_path):
    save(tmp_path / "m")
    manifest = json.loads((tmp_path / "m" / "manifest.json").read_text())
    assert manifest["format"] == "leantopics"
    assert manifest["format_version"] == FORMAT_VERSION
    assert manifest["files"]["weights"]["dtype"] == "<f8"
    assert manifest["files"]["weights"]["shape"] == [2, 3]
    listed = {entry["file"] for entry in manifest["files"].values()}
    assert listed | {"manifest.json"} == set(os.listdir(tmp_path / "m"))
    for entry in manifest["files"].values():
        assert entry["bytes"] == (tmp_path / "m" / entry["file"]).stat().st_size


def test_a_zip_file_holds_the_bytes_of_the_folder(tmp_path):
    for name in (*FORMS, "again.ZIP"):
        save(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "m.zip") as archive:
        assert {info.compress_type for info in archive.infolist()} == {
            zipfile.ZIP_STORED
        }
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == {f.name: f.read_bytes() for f in (tmp_path / "m").iterdir()}
    first, second = (tmp_path / name for name in ("m.zip", "again.ZIP"))
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("name", FORMS)
def test_what_is_of_the_same_kind_is_replaced_without_leftovers(tmp_path, name):
    save(tmp_path / name, 1)
    save(tmp_path / name, 2)
    assert load_folder(tmp_path / name, kind="model").content == {"number": 2}
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name", FORMS)
def test_a_link_stays_a_link(tmp_path, name):
    save(tmp_path / f"real-{name}", 1)
    (tmp_path / name).symlink_to(tmp_path / f"real-{name}")
    save(tmp_path / name, 2)
    assert (tmp_path / name).is_symlink()
    assert load_folder(tmp_path / f"real-{name}", kind="model").content == {"number": 2}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("thing", ["file", "folder", "other kind", "with a note"])
def test_anything_else_at_the_target_is_left_alone(tmp_path, thing, name):
    target = tmp_path / name
    if thing == "file":
        target.write_text("mine")
    elif thing == "folder":
        target.mkdir()
        (target / "note").write_text("mine")
    elif thing == "other kind":
        save(target, kind="corpus")
    else:
        save(target)
        add_note(target)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(FileExistsError, match="another place"):
        save(target, 2)
    assert sorted(tmp_path.rglob("*")) == before


def add_note(target):
    if target.is_dir():
        (target / "note").write_text("mine")
    else:
        with zipfile.ZipFile(target, "a") as archive:
            archive.writestr("note", "mine")


def test_a_folder_and_a_file_do_not_replace_each_other(tmp_path):
    save(tmp_path / "m", 1)
    save(tmp_path / "n.zip", 1)
    os.rename(tmp_path / "m", tmp_path / "m.zip")
    os.rename(tmp_path / "n.zip", tmp_path / "n")
    for name, form in (("m.zip", "folder"), ("n", "file")):
        with pytest.raises(FileExistsError, match=f"{name} is a {form}, but .*name"):
            save(tmp_path / name, 2)
        assert load_folder(tmp_path / name, kind="model").content == {"number": 1}


def test_the_parent_must_exist(tmp_path):
    with pytest.raises(FileNotFoundError, match="make it before saving"):
        save(tmp_path / "none" / "m")


def test_all_bytes_are_on_the_disk_before_the_rename(tmp_path, monkeypatch):
    flushed = set()
    monkeypatch.setattr(
        os, "fsync", lambda handle: flushed.add(os.fstat(handle).st_ino)
    )

    def checked(rename):
        def call(old, new):
            files = [old, *old.iterdir()] if old.is_dir() else [old]
            written = {file.stat().st_ino for file in files}
            assert len(written) in (1, 4)
            assert written <= flushed
            rename(old, new)

        return call

    for name in ("rename", "replace"):
        monkeypatch.setattr(os, name, checked(getattr(os, name)))
    for name in FORMS:
        flushed.clear()
        save(tmp_path / name)
        assert tmp_path.stat().st_ino in flushed


@pytest.mark.parametrize(
    ("content", "arrays", "strings", "message"),
    [
        ({"x": {1, 2}}, {}, {}, "cannot be written as JSON"),
        ({"x": float("nan")}, {}, {}, "cannot be written as JSON"),
        ({}, {"a": np.array([None])}, {}, "must hold numbers"),
        ({}, {"a": np.zeros(1, np.longdouble)}, {}, "must hold numbers"),
        ({"x": "y" * (1 << 26)}, {}, {}, "must fit into 67108864 bytes"),
        ({}, {"../a": np.zeros(1)}, {}, "name of a saved file"),
        ({}, {}, {"manifest": []}, "name of a saved file"),
        ({}, {"a": np.zeros(1)}, {"a": []}, "both an array and a list"),
        ({}, {}, {"a": [1]}, "must hold strings"),
    ],
)
def test_what_cannot_be_saved_is_refused(tmp_path, content, arrays, strings, message):
    with pytest.raises(ValueError, match=message):
        save_folder(
            tmp_path / "m",
            kind="model",
            content=content,
            arrays=arrays,
            strings=strings,
        )
    assert os.listdir(tmp_path) == []


def test_is_saved_knows_its_own(tmp_path):
    for name in FORMS:
        save(tmp_path / name)
        assert is_saved(tmp_path / name, "model")
        assert not is_saved(tmp_path / name, "corpus")
    assert not is_saved(tmp_path, "model")
    assert not is_saved(tmp_path / "m" / "manifest.json", "model")


def test_atomic_file_is_whole_or_absent(tmp_path):
    target = tmp_path / "x"
    target.write_bytes(b"old")

    def write_half():
        with atomic_file(target) as out:
            out.write(b"half")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write_half()
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x"]
    with atomic_file(target) as out:
        out.write(b"new")
    assert Path(target).read_bytes() == b"new"
