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
    ],
)
def test_a_bad_setting_is_named(settings: dict[str, object]) -> None:
    (name,) = settings
    with pytest.raises(ValueError, match=name):
        NetworkConfig(**settings)  # type: ignore[arg-type]
