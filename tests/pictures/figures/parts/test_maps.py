"""Maps against what can be worked out by hand and by finite differences."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from actor_observer.errors import UserError
from actor_observer.features import TakeEmbedding, embed_features
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.model.backbones.backbone import Backbone, Normalise
from actor_observer.model.backbones.hugging_face.hf import HuggingFace
from actor_observer.model.backbones.registry import BACKBONES
from actor_observer.model.backbones.timm import Timm
from actor_observer.pairs import VIEWS
from actor_observer.pictures.figures.parts.heat import lay_over, smooth
from actor_observer.pictures.figures.parts.maps import Around, activation_map, similarity_maps

PLAIN = Normalise((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))


class Tiny(Backbone):
    """One convolution and a bend, then the mean: small enough to check by hand."""

    def __init__(self, size: int = 1) -> None:
        super().__init__(4, PLAIN)
        self.features = nn.Sequential(nn.Conv2d(3, 4, size), nn.Softplus())

    def forward(self, frames: Tensor) -> Tensor:
        pooled: Tensor = self.features(self.normalise(frames)).mean(dim=(2, 3))
        return pooled


def network_of(monkeypatch: pytest.MonkeyPatch, backbone: Any, **settings: Any) -> ActorObserverNet:
    monkeypatch.setitem(BACKBONES, "tiny", backbone)
    return ActorObserverNet(NetworkConfig("tiny", heads="shared", **settings), pretrained=False).double().eval()


def test_activation_is_the_length_of_the_last_features(monkeypatch: pytest.MonkeyPatch) -> None:
    network = network_of(monkeypatch, Tiny)
    conv = network.backbone.features[0]
    with torch.no_grad():
        conv.weight.zero_()
        conv.bias.fill_(-1000.0)  # softplus of it is 0
        conv.weight[0, 0], conv.weight[1, 1] = 300.0, 400.0
        conv.bias[:2] = 0.0
    frame = torch.zeros(3, 2, 3)
    frame[0, 0, 1] = frame[1, 0, 1] = 1.0
    found = activation_map(network, frame)
    dark = np.log(2) * np.sqrt(2)  # two channels of softplus(0)
    expected = np.full((2, 3), dark)
    expected[0, 1] = 500.0  # 300 red, 400 green
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    bytes_ = (frame * 255).to(torch.uint8)
    np.testing.assert_allclose(activation_map(network, bytes_), expected, rtol=1e-5)


def similarity(network: ActorObserverNet, x: Tensor, z: Tensor, takes: tuple[Any, Any]) -> float:
    """By the usual way of embedding whole takes; alone where there is no take."""
    embedded = []
    for frame, view, around in zip((x, z), VIEWS, takes, strict=True):
        with torch.no_grad():
            phi = network.phi(frame[None])
            if around is None:
                embedded.append(network.embed(network.alone(phi, view), view).features[0].numpy())
                continue
        whole = around.phi.copy()
        whole[around.place] = phi[0]
        take = embed_features(network, {"a": TakeEmbedding(view, around.times, whole)})["a"]
        embedded.append(take.features[around.place])
    return -float(np.linalg.norm(embedded[0] - embedded[1]))


@pytest.mark.parametrize("around", [False, True])
@pytest.mark.parametrize("settings", [{}, {"centred": True, "context": (1.0,)}])
def test_similarity_maps_equal_finite_differences(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], around: bool
) -> None:
    torch.manual_seed(3)
    shape = {"projection": "per_view", "projection_size": 5, "projection_hidden": 6, "context_size": 4}
    network = network_of(monkeypatch, lambda: Tiny(3), **shape, **settings)
    x, z = torch.rand(2, 3, 4, 5, dtype=torch.float64)
    rng = np.random.default_rng(0)
    takes = (Around(rng.random((7, 4)), np.arange(7.0), 2), Around(rng.random((6, 4)), np.arange(6.0), 5))
    given = takes if around else (None, None)
    maps = similarity_maps(network, x, z, *given)
    step = 1e-5
    for which, found in enumerate(maps):
        gradient = np.zeros((3, 4, 5))
        for place in np.ndindex(3, 4, 5):
            ends = []
            for sign in (1, -1):
                moved = [x.clone(), z.clone()]
                moved[which][place] += sign * step
                ends.append(similarity(network, moved[0], moved[1], given))
            gradient[place] = (ends[0] - ends[1]) / (2 * step)
        assert found.max() > 1e-6
        np.testing.assert_allclose(found, np.linalg.norm(gradient, axis=0), rtol=1e-4, atol=1e-9)


class Tokens(nn.Module):
    """As a vision transformer of `transformers` answers: tokens, those for no place first."""

    config = SimpleNamespace(hidden_size=3, image_size=8)

    def __init__(self, extra: int, side: int) -> None:
        super().__init__()
        self.extra, self.side = extra, side

    def forward(self, pixel_values: Tensor) -> Any:
        patches = nn.functional.adaptive_avg_pool2d(pixel_values, self.side).flatten(2).transpose(1, 2)
        special = torch.full((len(patches), self.extra, 3), 99.0, dtype=patches.dtype)
        return SimpleNamespace(last_hidden_state=torch.cat([special, patches], dim=1), pooler_output=None)


@pytest.mark.parametrize("extra", [0, 1, 2, 5])
def test_transformers_answer_with_their_patches(monkeypatch: pytest.MonkeyPatch, extra: int) -> None:
    settings = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    network = network_of(monkeypatch, lambda: HuggingFace(Tokens(extra, 4), *settings))
    frame = torch.zeros(3, 8, 8)
    frame[:, 6:, :2] = 1.0
    found = activation_map(network, frame)
    assert found.shape == (8, 8)
    assert found.argmax() in (6 * 8, 7 * 8)
    assert found.max() <= np.sqrt(3) + 1e-6  # no special token among them


class LikeTimm(nn.Module):
    """As a model of `timm` answers, its channels first or last."""

    num_features = 3

    def __init__(self, channels_last: bool) -> None:
        super().__init__()
        self.channels_last = channels_last

    def forward_features(self, x: Tensor) -> Tensor:
        pooled = nn.functional.avg_pool2d(x, 2)
        return pooled.permute(0, 2, 3, 1) if self.channels_last else pooled


@pytest.mark.parametrize("channels_last", [False, True])
def test_models_of_timm_answer_with_their_last_features(monkeypatch: pytest.MonkeyPatch, channels_last: bool) -> None:
    network = network_of(monkeypatch, lambda: Timm(LikeTimm(channels_last)))
    frame = torch.full((3, 8, 12), 0.45)
    frame[:, 2:4, 10:] = 1.0
    found = activation_map(network, frame)
    assert found.shape == (8, 12)
    assert np.unravel_index(found.argmax(), found.shape)[0] in (2, 3)
    assert np.unravel_index(found.argmax(), found.shape)[1] == 11


def test_features_without_a_place_are_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    network = network_of(monkeypatch, lambda: HuggingFace(Tokens(3, 2)))
    with pytest.raises(UserError, match="no activation maps: the backbone's last features do not belong"):
        activation_map(network, torch.zeros(3, 8, 8))


def test_a_map_is_laid_over_its_frame() -> None:
    frame, heat = np.full((20, 30, 3), 200, dtype=np.uint8), np.zeros((20, 30))
    heat[5, 7] = 1.0
    shown = lay_over(frame, smooth(heat, 0.05)).astype(int)
    coloured = shown.max(axis=2) - shown.min(axis=2)  # grey where the map is low
    assert coloured[5, 7] > 50
    assert coloured[12:].max() == coloured[:, 15:].max() == 0
    assert lay_over(frame, np.ones((20, 30))).std() == 0  # nothing stands out of an even map
