import gc

import pytest


@pytest.fixture(autouse=True, scope="module")
def swept():
    """Collect what clusters leave where their warnings are let through."""
    yield
    gc.collect()
