"""Folders on disk: round trips, crashes at every step, and damage."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from leantopics import storage
from leantopics.storage import atomic_file, is_saved, load_folder, save_folder


def save(path, number=1, kind="model"):
    save_folder(
        path,
        kind=kind,
        content={"number": number},
        arrays={"weights": np.arange(6.0).reshape(2, 3) * number},
        strings={"words": ["Öl", "leaf"]},
    )


def edit_manifest(folder, change):
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    change(manifest)
    file.write_text(json.dumps(manifest))


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
    path = tmp_path_factory.mktemp("round") / "folder"
    save_folder(
        path,
        kind="model",
        content=content,
        arrays={"a": array, "turned": array.T},
        strings={"s": words},
    )
    loaded = load_folder(path, kind="model")
    assert loaded.content == content
    assert loaded.strings == {"s": words}
    assert loaded.arrays["a"].dtype == array.dtype
    np.testing.assert_array_equal(loaded.arrays["a"], array)
    np.testing.assert_array_equal(loaded.arrays["turned"], array.T)


def test_lone_surrogates_survive(tmp_path):
    save_folder(
        tmp_path / "f", kind="corpus", content={}, arrays={}, strings={"s": ["\ud800"]}
    )
    assert load_folder(tmp_path / "f", kind="corpus").strings == {"s": ["\ud800"]}


def test_manifest_lists_every_file(tmp_path):
    save(tmp_path / "m")
    manifest = json.loads((tmp_path / "m" / "manifest.json").read_text())
    assert manifest["format"] == "leantopics"
    assert manifest["format_version"] == 1
    assert manifest["files"]["weights"]["dtype"] == "<f8"
    assert manifest["files"]["weights"]["shape"] == [2, 3]
    listed = {entry["file"] for entry in manifest["files"].values()}
    assert listed | {"manifest.json"} == set(os.listdir(tmp_path / "m"))


def test_a_folder_of_the_same_kind_is_replaced_without_leftovers(tmp_path):
    save(tmp_path / "m", 1)
    save(tmp_path / "m", 2)
    assert load_folder(tmp_path / "m", kind="model").content == {"number": 2}
    assert os.listdir(tmp_path) == ["m"]


def test_a_link_stays_a_link(tmp_path):
    save(tmp_path / "real", 1)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    save(tmp_path / "link", 2)
    assert (tmp_path / "link").is_symlink()
    assert load_folder(tmp_path / "real", kind="model").content == {"number": 2}


@pytest.mark.parametrize("thing", ["file", "folder", "other kind", "with a note"])
def test_anything_else_at_the_target_is_left_alone(tmp_path, thing):
    target = tmp_path / "m"
    if thing == "file":
        target.write_text("mine")
    elif thing == "folder":
        target.mkdir()
        (target / "note").write_text("mine")
    elif thing == "other kind":
        save(target, kind="corpus")
    else:
        save(target)
        (target / "note").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(FileExistsError, match="another place"):
        save(target, 2)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_parent_must_exist(tmp_path):
    with pytest.raises(FileNotFoundError, match="make it before saving"):
        save(tmp_path / "none" / "m")


@pytest.mark.parametrize("failing", ["write_array", "fsync", "rename"])
def test_a_failed_save_keeps_the_old_folder(tmp_path, monkeypatch, failing):
    save(tmp_path / "m", 1)
    renames = []

    def fail(*args, **kwargs):
        raise OSError("disk full")

    def fail_second(old, new, rename=os.rename):
        renames.append(new)
        if len(renames) == 2:
            raise OSError("disk full")
        rename(old, new)

    if failing == "rename":
        monkeypatch.setattr(storage.os, "rename", fail_second)
    elif failing == "fsync":
        monkeypatch.setattr(storage.os, "fsync", fail)
    else:
        monkeypatch.setattr(storage.np.lib.format, "write_array", fail)
    with pytest.raises(OSError, match="disk full"):
        save(tmp_path / "m", 2)
    monkeypatch.undo()
    assert load_folder(tmp_path / "m", kind="model").content == {"number": 1}
    assert os.listdir(tmp_path) == ["m"]


def test_all_bytes_are_on_the_disk_before_the_rename(tmp_path, monkeypatch):
    flushed = set()
    monkeypatch.setattr(
        storage.os, "fsync", lambda handle: flushed.add(os.fstat(handle).st_ino)
    )

    def check_rename(old, new, rename=os.rename):
        written = {file.stat().st_ino for file in [old, *old.iterdir()]}
        assert len(written) == 4
        assert written <= flushed
        rename(old, new)

    monkeypatch.setattr(storage.os, "rename", check_rename)
    save(tmp_path / "m")
    assert tmp_path.stat().st_ino in flushed


def test_a_crash_between_the_renames_loses_nothing(tmp_path, monkeypatch):
    class Crash(BaseException):
        """The power goes: nothing after it runs."""

    save(tmp_path / "m", 1)
    calls = []

    def crash_from_second(old, new, rename=os.rename):
        calls.append(new)
        if len(calls) > 1:
            raise Crash
        rename(old, new)

    monkeypatch.setattr(storage.os, "rename", crash_from_second)
    monkeypatch.setattr(storage.shutil, "rmtree", lambda *a, **k: None)
    with pytest.raises(Crash):
        save(tmp_path / "m", 2)
    monkeypatch.undo()
    (old,) = tmp_path.glob(".m.*.old")
    (new,) = tmp_path.glob(".m.*.new")
    assert load_folder(old, kind="model").content == {"number": 1}
    assert load_folder(new, kind="model").content == {"number": 2}
    with pytest.raises(FileNotFoundError, match=r"left the old one at .*\.m\..*\.old"):
        load_folder(tmp_path / "m", kind="model")


@pytest.mark.parametrize(
    ("content", "arrays", "strings", "message"),
    [
        ({"x": {1, 2}}, {}, {}, "cannot be written as JSON"),
        ({"x": float("nan")}, {}, {}, "cannot be written as JSON"),
        ({}, {"a": np.array([None])}, {}, "must hold numbers"),
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


def flip_last_byte(file):
    raw = bytearray(file.read_bytes())
    raw[-1] ^= 1
    file.write_bytes(bytes(raw))


def entry_change(name, **values):
    return lambda folder: edit_manifest(
        folder, lambda m: m["files"][name].update(values)
    )


def top_change(**values):
    return lambda folder: edit_manifest(folder, lambda m: m.update(values))


def replace_by_objects(folder):
    np.save(folder / "weights.npy", np.array([None]), allow_pickle=True)
    entry_change("weights", dtype="|O", shape=[1])(folder)


@pytest.mark.parametrize(
    ("damage", "error", "message"),
    [
        (lambda f: (f / "weights.npy").unlink(), FileNotFoundError, "is missing"),
        (lambda f: flip_last_byte(f / "weights.npy"), ValueError, "SHA-256"),
        (lambda f: flip_last_byte(f / "words.json"), ValueError, "SHA-256"),
        (lambda f: (f / "weights.npy").write_bytes(b"no"), ValueError, "array header"),
        (entry_change("weights", shape=[3, 2]), ValueError, r"\[2, 3\].*\[3, 2\]"),
        (entry_change("weights", dtype="<f4"), ValueError, "<f8.*<f4"),
        (entry_change("words", shape=[3]), ValueError, "2 strings"),
        (entry_change("words", file="../words.json"), ValueError, "not a plain name"),
        (entry_change("words", file="/etc/hosts"), ValueError, "not a plain name"),
        (entry_change("words", file=".."), ValueError, "not a plain name"),
        (entry_change("words", sha256=None), ValueError, "not complete"),
        (replace_by_objects, ValueError, "Python objects"),
        (top_change(kind="corpus"), ValueError, "must hold a model, but is a corpus"),
        (top_change(format="other"), ValueError, "not a manifest of leantopics"),
        (top_change(format_version=2), ValueError, "upgrade leantopics"),
        (top_change(files=[]), ValueError, "'files' is missing or wrong"),
        (lambda f: (f / "manifest.json").write_text("{"), ValueError, "not JSON"),
        (lambda f: (f / "manifest.json").unlink(), FileNotFoundError, "nothing saved"),
        (shutil.rmtree, FileNotFoundError, "nothing saved"),
    ],
)
def test_damage_is_named(tmp_path, damage, error, message):
    save(tmp_path / "m")
    damage(tmp_path / "m")
    with pytest.raises(error, match=message):
        load_folder(tmp_path / "m", kind="model")


def test_a_false_shape_takes_no_memory(tmp_path):
    save(tmp_path / "m")
    file = tmp_path / "m" / "weights.npy"
    with open(file, "wb") as out:
        header = {"descr": "<f8", "fortran_order": False, "shape": (10**13,)}
        np.lib.format.write_array_header_1_0(out, header)
    entry_change("weights", shape=[10**13])(tmp_path / "m")
    with pytest.raises(ValueError, match="must have 80000000000128 bytes"):
        load_folder(tmp_path / "m", kind="model")


def test_is_saved_knows_its_own(tmp_path):
    save(tmp_path / "m")
    assert is_saved(tmp_path / "m", "model")
    assert not is_saved(tmp_path / "m", "corpus")
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
