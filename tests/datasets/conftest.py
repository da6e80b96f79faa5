import pytest


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    """Each test has an empty cache, and speaks to its own server without a proxy."""
    folder = tmp_path / "the-cache"
    monkeypatch.setenv("LEANTOPICS_CACHE", str(folder))
    monkeypatch.setenv("no_proxy", "*")
    return folder


@pytest.fixture
def no_data(monkeypatch):
    monkeypatch.delenv("LEANTOPICS_DATA", raising=False)
