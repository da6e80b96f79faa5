import hashlib
import io
import sys
from pathlib import Path

import pytest
from tests.datasets.server import body, hang, part, serve, status, without_length

from leantopics.datasets import cache_folder
from leantopics.datasets import fetch as module
from leantopics.datasets.fetch import Archive, fetch

RAW = bytes(range(256)) * 2000
SHA256 = hashlib.sha256(RAW).hexdigest()
WHOLE = body(RAW)


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch):
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(module, "TIMEOUT", 0.3)


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


def test_a_transfer_that_breaks_off_goes_on_where_it_stopped(tmp_path):
    first = body(RAW, sent=200_000, ETag='"v1"')
    requests = download(tmp_path, first, part(RAW, tag='"v1"'))
    assert requests[1]["Range"] == "bytes=200000-"
    assert requests[1]["If-Range"] == '"v1"'


def test_it_goes_on_several_times(tmp_path):
    def half_of_the_rest(handler):
        if "Range" not in handler.headers:
            return body(RAW, sent=100_000, Last_Modified="Mon, 01 Jan 2024")(handler)
        first = int(handler.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        handler.send_response(206)
        handler.send_header("Content-Length", str(len(RAW) - first))
        handler.send_header("Content-Range", f"bytes {first}-{len(RAW) - 1}/{len(RAW)}")
        handler.send_header("Last-Modified", "Mon, 01 Jan 2024")
        handler.end_headers()
        handler.wfile.write(RAW[first:][:200_000])

    requests = download(tmp_path, half_of_the_rest)
    asked = [request.get("Range") for request in requests]
    assert asked == [None, "bytes=100000-", "bytes=300000-", "bytes=500000-"]


@pytest.mark.parametrize(
    "second",
    [
        WHOLE,  # a server that does not know ranges
        part(RAW, tag='"v2"'),  # that has another version by now
        part(RAW, tag='"v1"', start=50_000),  # that answers with another part
    ],
)
@pytest.mark.parametrize("sha256", [SHA256, None])
def test_it_begins_anew_where_it_cannot_go_on(tmp_path, second, sha256):
    other = bytes(len(RAW))  # must not end up in the file
    first = body(other, sent=200_000, ETag='"v1"')
    answers = (first, second, WHOLE)
    assert len(download(tmp_path, *answers, sha256=sha256)) in (2, 3)


def test_without_a_version_it_begins_anew(tmp_path):
    for headers in ({}, {"ETag": 'W/"weak"'}):
        requests = download(tmp_path, body(RAW, sent=9, **headers), WHOLE)
        assert "Range" not in requests[1]
        (tmp_path / "got").unlink()


def test_less_than_announced_is_not_taken(tmp_path):
    message, n_requests = refused(tmp_path, body(RAW, length=len(RAW) + 100))
    assert "broke off after 512000 of 512100 bytes" in message or "more expected" in (
        message
    )
    assert n_requests == 4


def test_a_part_that_cannot_be_had_begins_anew(tmp_path):
    first = body(RAW, length=len(RAW) + 100, ETag='"v1"')
    requests = download(tmp_path, first, status(416), WHOLE)
    assert "Range" in requests[1]
    assert "Range" not in requests[2]


def test_a_length_too_short_cuts_the_file_which_the_checksum_shows(tmp_path):
    message, _ = refused(tmp_path, body(RAW, length=len(RAW) - 100))
    cut = hashlib.sha256(RAW[:-100]).hexdigest()
    assert f"its SHA-256 is {cut}, but must be {SHA256}" in message


def test_wrong_bytes_are_refused(tmp_path):
    message, n_requests = refused(tmp_path, body(RAW[::-1]))
    assert "must be " + SHA256 in message
    assert n_requests == 1


@pytest.mark.parametrize("code", [400, 401, 403, 404, 410])
def test_a_refusal_is_final(tmp_path, code):
    message, n_requests = refused(tmp_path, status(code))
    assert f"HTTP Error {code}" in message
    assert n_requests == 1


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503])
def test_a_passing_fault_is_tried_again(tmp_path, code):
    assert len(download(tmp_path, status(code), status(code), WHOLE)) == 3


def test_a_lasting_fault_ends(tmp_path):
    message, n_requests = refused(tmp_path, status(500))
    assert "HTTP Error 500" in message
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
    message, _ = refused(tmp_path, status(302, Location="/file"))
    assert "302" in message


def test_a_redirect_to_a_local_file_is_refused(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x")
    with serve(status(302, Location=secret.as_uri())) as server:
        with pytest.raises(ConnectionError, match="not allowed"):
            fetch(Archive("toy", (server.address,)), tmp_path / "got")
    assert not (tmp_path / "got").exists()


def test_silence_ends(tmp_path):
    message, n_requests = refused(tmp_path, hang(0.5))
    assert "timed out" in message
    assert n_requests == 4
    download(tmp_path, hang(0.5), WHOLE)


def test_nobody_there(tmp_path):
    with serve(WHOLE) as server:
        address = server.address
    with pytest.raises(ConnectionError, match="refused"):
        fetch(Archive("toy", (address,)), tmp_path / "got")


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


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/leantopics"),
        ("linux", {}, "/home/me/.cache/leantopics"),
        ("darwin", {}, "/home/me/Library/Caches/leantopics"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/leantopics"),
        ("win32", {}, "/home/me/AppData/Local/leantopics"),
        ("linux", {"LEANTOPICS_CACHE": "/here", "XDG_CACHE_HOME": "/x"}, "/here"),
    ],
)
def test_cache_folder(monkeypatch, platform, variables, expected):
    for name in ("LEANTOPICS_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(module.sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    assert cache_folder().as_posix() == expected
