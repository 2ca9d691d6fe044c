"""The box is sealed as it is; what was changed in it without sealing is refused, with the way out."""

import shutil
from pathlib import Path

import pytest

from actor_observer.alignment.calibration import load_calibration
from actor_observer.errors import UserError
from actor_observer.model import box
from actor_observer.model.box import SUMS, read_beside, seal, unsealed, write_beside
from actor_observer.model.pretrained import BOX
from seal_box import main as seal_box


def test_every_file_of_the_box_is_sealed() -> None:
    assert not unsealed(), "the box was changed: python scripts/seal_box.py"


def test_a_change_that_was_not_sealed_says_how_to_seal_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(BOX, tmp_path / "box")
    monkeypatch.setattr(box, "BOX", tmp_path / "box")
    path = tmp_path / "box" / "alignment.json"
    text = path.read_text()
    path.write_text(text.replace('"sure": 0.', '"sure": 0.1'))
    way_out = (
        r"alignment\.json: damaged, or changed and not sealed; install .* again \(.*: python scripts/seal_box\.py\)"
    )
    with pytest.raises(UserError, match=way_out):
        load_calibration.__wrapped__(tmp_path / "box")
    seal_box(tmp_path / "box")
    assert load_calibration.__wrapped__(tmp_path / "box").sure < 0.2 and not unsealed(tmp_path / "box")
    (tmp_path / "box" / "new.json").write_text("{}")
    with pytest.raises(UserError, match="python scripts/seal_box"):
        read_beside(tmp_path / "box", "new.json")
    assert seal(tmp_path / "box") == ["new.json"]
    (tmp_path / "box" / SUMS).unlink()
    with pytest.raises(UserError, match=r"sums\.json: damaged"):
        read_beside(tmp_path / "box", "new.json")


def test_files_beside_any_other_model_may_be_without_sums(tmp_path: Path) -> None:
    (tmp_path / "confidence.json").write_text("{}")
    assert read_beside(tmp_path, "confidence.json") == b"{}"
    write_beside(tmp_path, "known.safetensors", b"123")
    assert read_beside(tmp_path, "confidence.json") == b"{}" and read_beside(tmp_path, "none.json") is None
    (tmp_path / "known.safetensors").write_bytes(b"124")
    with pytest.raises(UserError, match=r"known\.safetensors: damaged, .*; calibrate the model again"):
        read_beside(tmp_path, "known.safetensors")
