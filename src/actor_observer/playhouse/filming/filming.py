"""A filming: a performance, its camera, and what spoils some of its moments."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from actor_observer.pairs.manifest import View
from actor_observer.playhouse.acting.body import Bodies, pose_body
from actor_observer.playhouse.acting.motion import Array, Drift
from actor_observer.playhouse.acting.performance import Performance
from actor_observer.playhouse.acting.spells import Spell, draw_spells, fewer, strength
from actor_observer.playhouse.filming.camera import Camera, draw_camera, head_turn
from actor_observer.playhouse.filming.hand_held import Holding
from actor_observer.playhouse.filming.shots import Shot
from actor_observer.playhouse.home.colours import Colour, hue

__all__ = ["Filming", "Other", "film"]


@dataclass(frozen=True)
class Other:
    """Somebody else in the room."""

    performance: Performance
    head: Filming | None = None  # by which their head moves; None: by their glances alone
    worn: bool = False  # whether a camera on that head records

    def bodies(self, times: Array) -> Bodies:
        if self.head:
            return self.head.bodies(times)
        glances = self.performance.glances
        return pose_body(self.performance, times, glances(times) if glances else np.zeros((len(times), 3)))


@dataclass(frozen=True)
class Filming:
    """A performance and its camera: all that is needed to draw any of its moments."""

    performance: Performance
    camera: Camera
    spells: tuple[Spell, ...]
    eye_seed: tuple[int, ...]  # seed of the room camera's place
    passer: Colour  # colour of the passer-by
    head: Filming | None = None  # the head camera's filming of the same performance, if both record it
    shot: Shot | None = None  # of a varied set; the three below come with it
    holding: Holding | None = None  # of a room camera
    light: Drift | None = None  # how the exposure wanders
    others: tuple[Other, ...] = ()
    lit: Performance | None = None  # on whose first place the lamp shines, if not on this performance's
    window: tuple[float, float] | None = None  # when a room camera of an event runs, in the performance's seconds

    @property
    def view(self) -> View:
        return self.camera.view

    def bodies(self, times: Array) -> Bodies:
        head = self.head or self
        return pose_body(self.performance, times, head_turn(self.performance, head.camera, head.spells, times))

    def blurred(self, times: Array) -> NDArray[np.bool_]:
        blur = [strength(spell, times) > 0.2 for spell in self.spells if spell.cause == "blur"]
        return np.any(blur, axis=0) if blur else np.zeros(len(times), bool)

    def exposure(self, times: Array) -> Array:
        """Factor on the light (T,): 1 except during spells of bad exposure."""
        gain = np.ones(len(times))
        if self.shot and self.light:
            gain = np.exp(self.shot.exposure * self.light(times)[:, 0])
        for spell in self.spells:
            if spell.cause == "exposure":
                wrong = 4.5 + spell.ways[1] if spell.ways[0] > 0 else 0.10 + 0.04 * spell.ways[1]
                gain = gain * wrong ** strength(spell, times)
        return gain


def film(performance: Performance, view: View, seed: list[int], shot: Shot | None = None) -> Filming:
    """Put a camera to a performance; `seed` draws the camera and its spells. `shot` settles what varied sets vary."""
    rng = np.random.default_rng([*seed, 5])
    camera = draw_camera(view, performance.length, rng)
    spells = draw_spells(view, performance.length, rng)
    filming = Filming(performance, camera, spells, (*seed, 7), hue(rng.random(), 0.4, 0.5))
    return _vary(filming, shot) if shot else filming


def _vary(filming: Filming, shot: Shot) -> Filming:
    """The same filming with the lens, the holding and the light of a shot."""
    rng, length = np.random.default_rng(shot.seed), filming.performance.length
    return replace(
        filming,
        camera=replace(filming.camera, tilt=shot.tilt),
        spells=fewer(filming.spells, shot.hold, rng),
        shot=shot,
        holding=None if shot.hold == "head" else Holding.random(shot.hold, length, rng),
        light=Drift.random(rng, length, 3.0, 1),
    )
