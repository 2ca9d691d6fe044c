"""Settings are checked when they are made."""

import pytest

from actor_observer.model.config import NetworkConfig


@pytest.mark.parametrize(
    "settings",
    [
        {"batch_norm": "thawed"},
        {"heads": "both"},
        {"projection": "mlp"},
        {"triplet": "hinge"},
        {"loss_average": "video"},
        {"videos": -1},
        {"labels": ("a", "a")},
        {"label_names": ("sit",)},
        {"size": 0},
        {"projection_size": 0},
        {"projection_hidden": -1},
        {"projection_dropout": 1.0},
        {"video_k": 1.0},
        {"selector_scale": 0.0},
    ],
)
def test_a_bad_setting_is_named(settings: dict[str, object]) -> None:
    (name,) = settings
    with pytest.raises(ValueError, match=name):
        NetworkConfig(**settings)  # type: ignore[arg-type]


def test_the_smallest_settings_are_allowed() -> None:
    config = NetworkConfig(size=1, projection_size=1, projection_hidden=0, projection_dropout=0.0)
    assert config.size == config.projection_size == 1
