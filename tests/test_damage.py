"""Whatever file of ours is harmed, the answer is the one of the whole file, or one line: never another answer."""

import numpy as np
import pytest

from damage import harmed, outcome
from damaged_files import Kind, all_kinds

TIMES = 6  # of each kind; `bench/damage.py` does it more often
SLOW = {"features cache", "embed, resumed", "model.safetensors", "box: model.safetensors"}  # made again, or large


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> list[Kind]:
    return [*all_kinds(tmp_path_factory.mktemp("kinds"))]


def test_harm_is_noticed_in_every_kind_of_file(kinds: list[Kind]) -> None:
    rng, wrong = np.random.default_rng(), []
    for kind in kinds:
        wanted = kind.answer()
        for number in range(2 if kind.name in SLOW else TIMES):
            path = kind.files[number % len(kind.files)]
            content = harmed(path.read_bytes(), rng)
            found = outcome(kind, path, content, wanted)
            if found not in ("same", "one line"):
                wrong.append((kind.name, path.name, found))
        assert kind.answer() == wanted
    assert not wrong


def test_every_page_of_a_cache_and_of_embeddings_counts(kinds: list[Kind]) -> None:
    """Set to zero one after the other: what was silently another answer before there were sums."""
    for name in ("motion cache", "embeddings .safetensors"):
        (kind,) = (one for one in kinds if one.name == name)
        path, wanted = kind.files[0], kind.answer()
        content = path.read_bytes()
        for start in range(0, len(content), 4096):
            zeroed = content[:start] + bytes(len(content[start : start + 4096])) + content[start + 4096 :]
            if zeroed != content:
                assert outcome(kind, path, zeroed, wanted) == ("same" if kind.mended else "one line")
