"""Pixels: decode by timestamp, augment in batches on the device."""

from actor_observer.frames.at import frames_at
from actor_observer.frames.augmenting.augment import Augmentation, Draws, augment
from actor_observer.frames.augmenting.resample import centre_view, crop_resize
from actor_observer.frames.check import check_manifest, check_take
from actor_observer.frames.video import Size

__all__ = [
    "Augmentation",
    "Draws",
    "Size",
    "augment",
    "centre_view",
    "check_manifest",
    "check_take",
    "crop_resize",
    "frames_at",
]
