"""One toy set for all tests of the paper."""

from pathlib import Path

import pytest

from paper.toy import toy_set


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toy_set(tmp_path_factory.mktemp("toy"))
