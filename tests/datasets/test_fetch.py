import errno
import gc
import hashlib
import io
import os
import re
import sys

import pytest
from pooch import downloaders
from tests.datasets.server import body, hang, serve, status, without_length

from leantopics.cli.messages import sentence
from leantopics.datasets import cache_folder
from leantopics.datasets import fetch as module
from leantopics.datasets.fetch import Archive, fetch

RAW = bytes(range(256)) * 2000
SHA256 = hashlib.sha256(RAW).hexdigest()
WHOLE = body(RAW)


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch):
    monkeypatch.setattr(module, "PAUSES", (0.001, 0.002, 0.004))
    yield
    gc.collect()  # a connection that was left open is said now, as an error


def download(tmp_path, *answers, sha256=SHA256):
    """Fetch from a server with these answers; return its requests."""
    with serve(*answers) as server:
        target = tmp_path / "got"
        fetch(Archive("toy", (server.address,), sha256), target)
        assert target.read_bytes() == RAW
        assert [file.name for file in tmp_path.iterdir()] == ["got"]
    return server.requests


def refused(tmp_path, *answers, sha256=SHA256):
    """Fetch in vain; return what the error says and the number of requests."""
    with serve(*answers) as server:
        target = tmp_path / "got"
        with pytest.raises(ConnectionError) as error:
            fetch(Archive("toy", (server.address,), sha256), target)
    assert list(tmp_path.iterdir()) == []
    message = str(error.value)
    assert message.endswith("); try again later, or get the file in another way.")
    assert not re.search(r"\. |\n|0x|object", message), "one plain sentence"
    assert message.startswith("toy could not be downloaded (http://127.0.0.1:")
    return message, len(server.requests)


@pytest.mark.parametrize("sha256", [SHA256, None])
@pytest.mark.parametrize("answer", [WHOLE, without_length(RAW)])
def test_a_whole_file(tmp_path, answer, sha256):
    assert len(download(tmp_path, answer, sha256=sha256)) == 1


def test_an_older_file_is_replaced_only_by_a_whole_one(tmp_path):
    target = tmp_path / "got"
    target.write_text("older")
    with serve(body(RAW, sent=1000)) as server:
        archive = Archive("toy", (server.address,), SHA256)
        with pytest.raises(ConnectionError):
            fetch(archive, target)
    assert target.read_text() == "older"
    assert [file.name for file in tmp_path.iterdir()] == ["got"]
    download(tmp_path, WHOLE)


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_a_transfer_that_breaks_off_begins_again(tmp_path, sha256):
    first = body(bytes(len(RAW)), sent=200_000)  # must not end up in the file
    assert len(download(tmp_path, first, WHOLE, sha256=sha256)) == 2


def test_less_than_announced_is_not_taken(tmp_path):
    message, n_requests = refused(tmp_path, body(RAW, length=len(RAW) + 100))
    assert "512000 bytes read, 100 more expected" in message
    assert n_requests == 4


def test_a_length_too_short_cuts_the_file_which_the_checksum_shows(tmp_path):
    message, _ = refused(tmp_path, body(RAW, length=len(RAW) - 100))
    cut = hashlib.sha256(RAW[:-100]).hexdigest()
    assert f"expected {SHA256} but got {cut})" in message


def test_wrong_bytes_are_refused(tmp_path):
    message, n_requests = refused(tmp_path, body(RAW[::-1]))
    assert "expected " + SHA256 in message
    assert n_requests == 1


@pytest.mark.parametrize("code", [400, 401, 403, 404, 410])
def test_a_refusal_is_final(tmp_path, code):
    message, n_requests = refused(tmp_path, status(code))
    assert f": {code} Client Error" in message
    assert n_requests == 1


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503])
def test_a_passing_fault_is_tried_again(tmp_path, code):
    assert len(download(tmp_path, status(code), status(code), WHOLE)) == 3


def test_a_lasting_fault_ends(tmp_path):
    message, n_requests = refused(tmp_path, status(500))
    assert ": 500 Server Error" in message
    assert n_requests == 4


def test_pauses_grow(tmp_path, monkeypatch):
    pauses = []
    monkeypatch.setattr(module.time, "sleep", pauses.append)
    refused(tmp_path, status(503))
    assert pauses == [0.001, 0.002, 0.004]


def test_redirects_are_followed(tmp_path):
    with serve(WHOLE) as home:
        requests = download(tmp_path, status(302, Location=home.address))
    assert len(requests) == len(home.requests) == 1


def test_redirects_in_a_circle_end(tmp_path):
    message, n_requests = refused(tmp_path, status(302, Location="/file"))
    assert "Exceeded 30 redirects" in message
    assert n_requests == 31


def test_a_redirect_to_a_local_file_is_refused(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x")
    with serve(status(302, Location=secret.as_uri())) as server:
        with pytest.raises(ConnectionError, match="No connection adapters"):
            fetch(Archive("toy", (server.address,)), tmp_path / "got")
    assert not (tmp_path / "got").exists()


def test_silence_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", 0.3)
    message, n_requests = refused(tmp_path, hang(0.5))
    assert "timed out" in message
    assert n_requests == 4
    download(tmp_path, hang(0.5), WHOLE)


def test_nobody_there(tmp_path):
    with serve(WHOLE) as server:
        address = server.address
    with pytest.raises(ConnectionError) as error:
        fetch(
            Archive("toy", (address, "http://nowhere.invalid/file")), tmp_path / "got"
        )
    assert re.fullmatch(
        rf"toy could not be downloaded \({address}: \[Errno \d+\] Connection refused; "
        r"http://nowhere.invalid/file: \[Errno -\d+\] [\w ]+\); try again later, or "
        r"get the file in another way\.",
        str(error.value),
    )


class Full(io.BytesIO):
    def write(self, raw):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_said_at_once_with_the_place(tmp_path, monkeypatch):
    monkeypatch.setattr(downloaders, "open", lambda *how: Full(), raising=False)
    with serve(WHOLE) as server:
        with pytest.raises(OSError, match="No space left") as error:
            fetch(Archive("toy", (server.address,)), tmp_path / "got")
    assert error.value.filename == tmp_path / "got"
    assert sentence(error.value) == f"{tmp_path / 'got'}: no space left on device."
    assert len(server.requests) == 1
    assert list(tmp_path.iterdir()) == []


def test_the_next_address_is_tried(tmp_path):
    with serve(status(404)) as gone, serve(body(b"no")) as wrong, serve(WHOLE) as good:
        addresses = (gone.address, wrong.address, good.address)
        fetch(Archive("toy", addresses, SHA256), tmp_path / "got")
    assert (tmp_path / "got").read_bytes() == RAW


def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(module.time, "sleep", interrupt)
    with serve(body(RAW, sent=10)) as server:
        with pytest.raises(KeyboardInterrupt):
            fetch(Archive("toy", (server.address,)), tmp_path / "got")
    assert list(tmp_path.iterdir()) == []


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_on_a_terminal_only(tmp_path, monkeypatch, capsys):
    download(tmp_path, WHOLE)
    assert capsys.readouterr() == ("", "")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    (tmp_path / "got").unlink()
    download(tmp_path, WHOLE)
    assert "toy" in terminal.getvalue()
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other places")
@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"XDG_CACHE_HOME": "/x"}, "/x/leantopics"),
        ({}, "/home/me/.cache/leantopics"),
        ({"LEANTOPICS_CACHE": "/here", "XDG_CACHE_HOME": "/x"}, "/here"),
    ],
)
def test_cache_folder(monkeypatch, variables, expected):
    for name in ("LEANTOPICS_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/me", **variables}.items():
        monkeypatch.setenv(name, value)
    assert cache_folder().as_posix() == expected
