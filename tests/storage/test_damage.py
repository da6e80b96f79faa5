"""What is damaged, hostile or newer is refused with one sentence, before it is read."""

import hashlib
import io
import os
import shutil
import zipfile
from importlib.metadata import version

import numpy as np
import pytest
from tests.storage.toy import FORMS, edit_manifest, save

from leantopics.storage import FORMAT_VERSION, is_saved, load_folder
from leantopics.storage.places import damaged


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


def write_array(folder, raw):
    """Put bytes in the place of an array, of which the manifest is right."""
    (folder / "weights.npy").write_bytes(raw)
    digest = hashlib.sha256(raw).hexdigest()
    entry_change("weights", bytes=len(raw), sha256=digest)(folder)


def replace_by_objects(folder):
    np.save(folder / "weights.npy", np.array([None]), allow_pickle=True)
    write_array(folder, (folder / "weights.npy").read_bytes())


def say_objects(folder):
    replace_by_objects(folder)
    entry_change("weights", dtype="|O", shape=[1])(folder)


def grow_manifest(folder):
    with open(folder / "manifest.json", "a") as out:
        out.truncate(2**26 + 1)


@pytest.mark.parametrize(
    ("damage", "error", "message"),
    [
        (lambda f: (f / "weights.npy").unlink(), FileNotFoundError, "is missing"),
        (lambda f: flip_last_byte(f / "weights.npy"), ValueError, "SHA-256"),
        (lambda f: flip_last_byte(f / "words.json"), ValueError, "SHA-256"),
        (lambda f: write_array(f, b"no" * 88), ValueError, "array header"),
        (lambda f: write_array(f, b"\x93NUMPY\x02\0"), ValueError, "array header"),
        (lambda f: write_array(f, b"\x93NUMPY\x01\0\xff\xff"), ValueError, "header is"),
        (entry_change("weights", shape=[3, 2]), ValueError, r"\(2, 3\).*\[3, 2\]"),
        (entry_change("weights", dtype="<f4"), ValueError, "<f8.*<f4"),
        (
            entry_change("weights", bytes=7),
            ValueError,
            "176 bytes, the manifest says 7",
        ),
        (entry_change("words", bytes=10**12), ValueError, "manifest says 10000000000"),
        (entry_change("words", bytes=None), ValueError, "not complete"),
        (entry_change("words", bytes=True), ValueError, "not complete"),
        (entry_change("words", shape=[-2]), ValueError, "not complete"),
        (entry_change("words", shape=[2.0]), ValueError, "not complete"),
        (entry_change("words", sha256="0" * 63), ValueError, "not complete"),
        (entry_change("words", dtype="<c16"), ValueError, "not complete"),
        (entry_change("words", file="weights.npy"), ValueError, "weights.npy twice"),
        (entry_change("words", file="manifest.json"), ValueError, "twice"),
        (entry_change("words", shape=[3]), ValueError, "2 strings"),
        (
            entry_change("words", file="../words.json"),
            ValueError,
            "must be a plain name",
        ),
        (entry_change("words", file="/etc/hosts"), ValueError, "must be a plain name"),
        (entry_change("words", file=".."), ValueError, "must be a plain name"),
        (entry_change("words", sha256=None), ValueError, "not complete"),
        (
            replace_by_objects,
            ValueError,
            r"its header is .*\|O.*, the manifest says <f8",
        ),
        (say_objects, ValueError, "not complete"),
        (top_change(kind="corpus"), ValueError, "must hold a model, but is a corpus"),
        (top_change(format="other"), ValueError, "must be a manifest of leantopics"),
        (top_change(format_version="2"), ValueError, "'format_version' is missing"),
        (top_change(kind="a\nb"), ValueError, "'kind' is missing or wrong"),
        (
            top_change(package_version="\x1b"),
            ValueError,
            "'package_version' is missing",
        ),
        (top_change(files=[]), ValueError, "'files' is missing or wrong"),
        (top_change(files={"a": 1}), ValueError, "'a' is not complete"),
        (lambda f: (f / "manifest.json").write_text("{"), ValueError, "not JSON"),
        (lambda f: (f / "manifest.json").write_text("[" * 10**5), ValueError, "JSON"),
        (grow_manifest, ValueError, "at most 67108864 bytes, but has 67108865"),
        (lambda f: (f / "manifest.json").unlink(), FileNotFoundError, "is not a saved"),
        (shutil.rmtree, FileNotFoundError, "no file or folder"),
    ],
)
def test_damage_is_named(tmp_path, damage, error, message):
    save(tmp_path / "m")
    damage(tmp_path / "m")
    with pytest.raises(error, match=message) as raised:
        load_folder(tmp_path / "m", kind="model")
    told = str(raised.value)
    assert str(tmp_path / "m") in told and told.endswith((".", "?"))
    if (tmp_path / "m").exists():
        zip_folder(tmp_path / "m")
        with pytest.raises(error) as raised:
            load_folder(tmp_path / "m.zip", kind="model")
        zipped = str(raised.value).replace(str(tmp_path / "m.zip"), str(tmp_path / "m"))
        assert zipped == told


def zip_folder(folder):
    with zipfile.ZipFile(folder.with_name(f"{folder.name}.zip"), "w") as archive:
        for file in folder.iterdir():
            archive.write(file, file.name)


def test_a_newer_format_says_what_to_install(tmp_path):
    save(tmp_path / "m")
    top_change(format_version=FORMAT_VERSION + 1, package_version="9.1", files=0)(
        tmp_path / "m"
    )
    assert is_saved(tmp_path / "m", "model")
    with pytest.raises(ValueError) as raised:
        load_folder(tmp_path / "m", kind="model")
    assert str(raised.value) == (
        f"{tmp_path}/m has format version {FORMAT_VERSION + 1}, but leantopics "
        f"{version('leantopics')} reads versions up to {FORMAT_VERSION}; it "
        "was written by leantopics 9.1: pip install 'leantopics>=9.1'."
    )


def test_pipes_are_not_opened(tmp_path):
    save(tmp_path / "m")
    (tmp_path / "m" / "words.json").unlink()
    os.mkfifo(tmp_path / "m" / "words.json")
    with pytest.raises(FileNotFoundError, match=r"words.json is missing"):
        load_folder(tmp_path / "m", kind="model")
    assert not is_saved(tmp_path / "m" / "words.json", "model")


def test_a_false_shape_takes_no_memory(tmp_path):
    save(tmp_path / "m")
    out = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (10**13,)}
    np.lib.format.write_array_header_1_0(out, header)
    write_array(tmp_path / "m", out.getvalue())
    entry_change("weights", shape=[10**13])(tmp_path / "m")
    with pytest.raises(ValueError, match="must have 80000000000128 bytes"):
        load_folder(tmp_path / "m", kind="model")


def members(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def write_zip(path, files, **settings):
    with zipfile.ZipFile(path, "w", **settings) as archive:
        for name, raw in files:
            archive.writestr(name, raw)


def encrypt(path):
    """Set the flag of encryption in all headers."""
    raw = path.read_bytes()
    raw = raw.replace(
        b"PK\x01\x02\x14\x03\x14\x00\0\0", b"PK\x01\x02\x14\x03\x14\x00\1\0"
    )
    path.write_bytes(raw)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: [*f, ("../x", b"")], "member '../x', which must be a plain name"),
        (
            lambda f: [*f, ("/etc/x", b"")],
            "member '/etc/x', which must be a plain name",
        ),
        (lambda f: [*f, ("sub/", b"")], "member 'sub/', which must be a plain name"),
        (lambda f: [*f, ("a\\b", b"")], "must be a plain name"),
        (lambda f: [*f, ("a\nb", b"")], r"member 'a\\nb'"),
        (lambda f: [*f, ("é", b"")], "must be a plain name"),
        (lambda f: [*f, f[0]], "is in the zip file twice"),
        (lambda f: [x for x in f if x[0] != "manifest.json"], "is not a saved model"),
        (lambda f: [x for x in f if x[0] != "words.json"], "words.json is missing"),
    ],
)
def test_members_that_must_not_be(tmp_path, change, message):
    save(tmp_path / "m")
    write_zip(tmp_path / "m.zip", change(list(members(tmp_path / "m").items())))
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        load_folder(tmp_path / "m.zip", kind="model")


def test_a_deflated_zip_is_read(tmp_path):
    save(tmp_path / "m")
    files = members(tmp_path / "m").items()
    write_zip(tmp_path / "m.zip", files, compression=zipfile.ZIP_DEFLATED)
    assert load_folder(tmp_path / "m.zip", kind="model").content == {"number": 1}


def test_other_methods_and_encryption_are_refused(tmp_path):
    save(tmp_path / "m")
    files = members(tmp_path / "m").items()
    write_zip(tmp_path / "m.zip", files, compression=zipfile.ZIP_LZMA)
    with pytest.raises(ValueError, match=r"stored or deflated .* not .* method 14"):
        load_folder(tmp_path / "m.zip", kind="model")
    write_zip(tmp_path / "m.zip", files)
    encrypt(tmp_path / "m.zip")
    with pytest.raises(ValueError, match="is encrypted, but must not be"):
        load_folder(tmp_path / "m.zip", kind="model")


def test_bombs_take_no_memory(tmp_path):
    save(tmp_path / "m")
    files = members(tmp_path / "m")
    blank = b"\0" * 10**7
    more = {**files, "words.json": blank}
    write_zip(tmp_path / "one.zip", more.items(), compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match="has 10000000 bytes, the manifest says 15"):
        load_folder(tmp_path / "one.zip", kind="model")
    many = {**files, **{f"x{n}": blank for n in range(10)}}
    write_zip(tmp_path / "many.zip", many.items(), compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match=r"expand to 1000\d+ bytes, but may"):
        load_folder(tmp_path / "many.zip", kind="model")


def test_a_false_list_of_members_takes_no_memory(tmp_path):
    path = tmp_path / "m.zip"
    with open(path, "wb") as out:  # a file of 32 MiB, most of it a hole
        out.write(b"PK")
        out.seek(1 << 25)
        sizes = (1 << 25).to_bytes(4, "little") + bytes(4)
        out.write(b"PK\x05\x06" + bytes(8) + sizes + bytes(2))
    with pytest.raises(ValueError, match="list of members is too long"):
        load_folder(path, kind="model")


@pytest.mark.parametrize("name", FORMS)
def test_no_flipped_or_missing_byte_does_harm(tmp_path, name):
    path = tmp_path / name
    save(path)
    whole = load_folder(path, kind="model")
    draw = np.random.default_rng(0)
    for file in sorted(path.iterdir()) if path.is_dir() else [path]:
        raw = file.read_bytes()
        for place in draw.choice(len(raw), min(len(raw), 300), replace=False):
            flipped = bytearray(raw)
            flipped[place] ^= 1 << draw.integers(8)
            for changed in (bytes(flipped), raw[:place]):
                file.write_bytes(changed)
                try:
                    found = load_folder(path, kind="model")
                except (ValueError, FileNotFoundError) as error:
                    assert "\n" not in str(error)
                    assert str(error).startswith(str(path))
                    continue
                arrays, strings = found.arrays.values(), list(found.strings.values())
                assert np.array_equal(list(arrays), list(whole.arrays.values()))
                assert strings == list(whole.strings.values())
                assert found.content == whole.content
        file.write_bytes(raw)


def test_the_reason_of_damage_is_one_line_and_not_long():
    """A member of a zip file may be called by the bytes of the whole file."""
    told = str(damaged("m.zip", "named\n" + 1000 * "x"))
    assert "\n" not in told
    assert len(told) < 400


def test_a_long_name_in_a_zip_file_is_cut_in_the_message(tmp_path):
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as archive:
        archive.writestr("x" * 5000, b"")
    with pytest.raises(ValueError, match="has the member 'xxx") as caught:
        load_folder(tmp_path / "m.zip", kind="model")
    assert len(str(caught.value)) < 400


def test_a_name_in_a_zip_file_that_is_no_text(tmp_path):
    """The list of members may have a sound name where the member itself has none."""
    path = tmp_path / "m.zip"
    save(path)
    raw = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        start = archive.getinfo("manifest.json").header_offset
    raw[start + 7] |= 0x08  # the name is in UTF-8
    raw[start + 30] = 0x93
    path.write_bytes(raw)
    with pytest.raises(ValueError, match="is damaged: it cannot be unpacked"):
        load_folder(path, kind="model")
