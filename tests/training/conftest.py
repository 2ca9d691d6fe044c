"""One torch thread, the same random numbers in every test, and one tiny data set for all of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from training.small import data_set


@pytest.fixture(autouse=True)
def one_thread_and_seed() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data_set(tmp_path_factory.mktemp("data"))
