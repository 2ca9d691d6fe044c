"""One tiny data set for all tests of training."""

from pathlib import Path

import pytest

from training.small import data_set


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data_set(tmp_path_factory.mktemp("data"))
