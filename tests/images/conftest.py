import pytest
from tests.images.textures import write_textures


@pytest.fixture(scope="session")
def textures(tmp_path_factory):
    """Folders "train" and "test" of pictures of eight textures."""
    folder = tmp_path_factory.mktemp("textures")
    write_textures(folder / "train", 12, seed=0)
    write_textures(folder / "test", 6, seed=1)
    return folder
