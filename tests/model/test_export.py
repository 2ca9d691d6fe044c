"""An exported file says what torch says, for both views, and stands on its own."""

import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from torch import Tensor, nn

from actor_observer.errors import UserError
from actor_observer.features import embed_features
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.model import ActorObserverNet, export
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.model.export import export_onnx
from actor_observer.model.heads import Projection, SelectorHeads
from same_scene import plain_network, scene_frames, write_scene


class Few(Backbone):
    """A backbone that the exporter is done with quickly."""

    def __init__(self) -> None:
        super().__init__(16)
        self.convolve = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2), nn.BatchNorm2d(16), nn.ReLU())

    def forward(self, frames: Tensor) -> Tensor:
        seen: Tensor = self.convolve(self.normalise(frames))  # (B, 16, H, W)
        return seen.mean(dim=(2, 3))


def small_network() -> ActorObserverNet:
    settings = {"centred": True, "context": (1.0, 2.0), "context_size": 6, "projection": "per_view"}
    network = plain_network(standardised=False, projection_size=8, projection_hidden=12, **settings)
    network.backbone = Few().eval()
    network.heads = SelectorHeads(16, "shared", 0.5)
    network.projection = Projection("per_view", 16 * 5, 8, 12, windows=5, reduced=6)
    return network.eval()


EXAMPLE = Path(__file__).parents[2] / "examples" / "onnx_example.py"


def test_the_example_explains_itself_and_refuses_in_one_line(tmp_path: Path) -> None:
    helped = subprocess.run([sys.executable, EXAMPLE, "--help"], capture_output=True, text=True, timeout=300)
    assert helped.returncode == 0 and "onnx_example.py model.onnx head.mp4 first" in helped.stdout
    wrong = [sys.executable, EXAMPLE, tmp_path / "none.onnx", "none.mp4", "first"]
    refused = subprocess.run(wrong, capture_output=True, text=True, timeout=300)
    assert refused.returncode == 1 and "Traceback" not in refused.stderr


def test_the_file_says_what_torch_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = small_network()
    path = tmp_path / "new" / "model.onnx"
    differences = export_onnx(network, path)
    assert max(differences.values()) <= 1e-4
    assert [file.name for file in path.parent.iterdir()] == ["model.onnx"]

    session = onnxruntime.InferenceSession(str(path))
    frames = torch.from_numpy(scene_frames(5, 4)).permute(0, 3, 1, 2)
    times = (np.arange(20, dtype=np.float32) + 0.5) / 4
    start = {"frames": frames[:12].numpy(), "times": times[:12]}
    (phi,) = session.run(["phi"], start)  # a take too long for one batch: its first frames, then the others
    rest = {"frames": frames[12:].numpy(), "times": times[12:], "earlier_phi": phi, "earlier_times": times[:12]}
    whole = {"frames": frames.numpy(), "times": times}
    for view in ("third", "first"):
        take = TakeEmbedding("third" if view == "third" else "first", times, network.phi(frames).detach().numpy())
        ours = embed_features(network, {"a": take})["a"]
        for given in (whole, rest):
            features, f, scores = session.run([f"{view}_{part}" for part in ("embedding", "f", "scores")], given)
            np.testing.assert_allclose(features, ours.features, atol=1e-4)
            np.testing.assert_allclose(scores, ours.scores, atol=1e-4)
            np.testing.assert_allclose(np.exp(f) / np.exp(f).mean(), ours.weight, atol=1e-4)

    video = write_scene(tmp_path / "head.mp4", 4, fps=8)
    answer = subprocess.run(
        [sys.executable, EXAMPLE, path, video, "first"], capture_output=True, text=True, timeout=300
    )
    assert answer.stdout.startswith("8 frames, embeddings (8, 8)"), answer.stderr
    assert "classes: c00" in answer.stdout

    written = path.read_bytes()
    wrong = deepcopy(network)
    with torch.no_grad():
        wrong.heads.heads[0].linear.bias += 0.1  # type: ignore[operator, union-attr]
    monkeypatch.setattr(export, "_content", lambda network: written)
    with pytest.raises(UserError, match="third_f differs from torch by"):
        export_onnx(wrong, tmp_path / "new" / "wrong.onnx")
    assert [file.name for file in path.parent.iterdir()] == ["model.onnx"]


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    network = small_network()
    with pytest.raises(UserError, match="cannot be written"):
        export_onnx(network, tmp_path / "file" / "model.onnx")
    with pytest.raises(UserError, match=r"written as .onnx"):
        export_onnx(network, tmp_path / "model.pb")


def test_nothing_is_on_disk_before_it_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed while torch traces the network leaves no file behind, not even a hidden one."""
    there: list[Path] = []

    def killed(network: object) -> bytes:
        there.extend(tmp_path.iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr(export, "_content", killed)
    with pytest.raises(KeyboardInterrupt):
        export_onnx(small_network(), tmp_path / "model.onnx")
    assert not there
