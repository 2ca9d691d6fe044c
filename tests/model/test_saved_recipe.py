"""A recipe that came with a stranger's model is read with care."""

import resource
from pathlib import Path

import pytest

from actor_observer.errors import UserError
from actor_observer.model.saved_recipe import recipe_of
from actor_observer.training import as_yaml, recipe_named
from actor_observer.training.folder.run_folder import RunFolder

LEVELS = zip("abcdefgh", "bcdefghi", strict=True)
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n"
BOMB += "".join(f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n" for before, after in LEVELS)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BOMB, "does not refer to its own parts"),
        ("a: " + "[" * 50_000, "less than 1000 lists"),
        ("a: " + "- " * 30_000, ""),
        ("#" * (1 << 17), "less than 65536 bytes"),
        ("a: [", ""),
    ],
)
def test_what_is_no_recipe_is_one_line_and_takes_no_memory(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "recipe.yaml").write_text(text)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for read in (recipe_of, lambda run: RunFolder(run).check_recipe(recipe_named("quick"))):
        with pytest.raises(UserError, match=f"recipe.yaml: cannot be read .*{why}"):
            read(tmp_path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KB


def test_a_recipe_as_we_write_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "recipe.yaml").write_text(as_yaml(recipe_named("quick")))
    assert recipe_of(tmp_path)["name"] == "quick"
    RunFolder(tmp_path).check_recipe(recipe_named("quick"))
