import os

import pytest


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Leave flushing to the disk out, of which hundreds of saves take a minute."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)
