"""No change of what is saved, with all checksums right, ends the process or misleads.

What comes of a change is one of these: it is ``refused`` in a sentence; what is used is
the ``same``; or it is ``sound``, another model or corpus all of whose numbers are good.
A checkpoint that is sealed by the documents of its fit is never another one.
"""

import pytest
from tests.mutations import mutate, table

KINDS = {
    "model": {"same", "refused", "sound"},
    "corpus": {"same", "refused", "sound"},
    "checkpoint": {"same", "refused"},
    "keyed checkpoint": {"same", "refused", "sound"},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "n_changes", [60, pytest.param(2000, marks=pytest.mark.slow)], ids=str
)
def test_changes_with_right_checksums(kind, n_changes, tmp_path):
    found = mutate(kind, tmp_path / "m", n_changes)
    print(kind, table(found))
    assert [each for each in found if each[0] not in KINDS[kind]] == []
    assert {"same", "refused"} <= table(found).keys()
