"""Draw a take: colour frames, and the share of pixels of hands and object, from a second drawing in flat colours."""

from __future__ import annotations

import importlib
import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.playhouse.acting.body import Bodies
from actor_observer.playhouse.acting.motion import Array, quaternions
from actor_observer.playhouse.acting.things import moved_doors, pose_things
from actor_observer.playhouse.filming.camera import Eye, follow, place_camera, place_passer, zoom
from actor_observer.playhouse.filming.filming import Filming
from actor_observer.playhouse.filming.lenses import Warp
from actor_observer.playhouse.filming.noise import Grain
from actor_observer.playhouse.filming.people_seen import PeopleSeen, people_seen
from actor_observer.playhouse.filming.room_camera import choose_room_camera, choose_shot_camera
from actor_observer.playhouse.filming.scene import (
    HEAD_GROUP,
    WALL_GROUPS,
    Scene,
    build_scene,
    load_mujoco,
    no_egl,
    other_name,
)

__all__ = ["Frames", "Painter", "check_drawing"]

Image = NDArray[np.uint8]
SHUTTER = 0.055  # seconds over which a blurred frame is exposed
BLUR_PARTS = 6  # moments of an open shutter that are drawn


@dataclass(frozen=True)
class Frames:
    """Drawn frames and what they show."""

    images: Image  # (T, H, W, 3)
    hands_share: NDArray[np.float32]  # (T,)
    object_share: NDArray[np.float32]  # (T,)
    actor_share: NDArray[np.float32]  # (T,)
    people: tuple[PeopleSeen, ...] = ()  # in the frames in which shares were counted, if it was asked for


class Painter:
    """Draws the moments of one filming. Holds a GL context: use it as a context manager, in one process."""

    def __init__(self, filming: Filming, size: tuple[int, int]) -> None:
        self.filming, self.size = filming, size
        mujoco = self._mujoco = load_mujoco()
        performance, shot = filming.performance, filming.shot
        self.warp = Warp(shot.lens, size) if shot and shot.lens.bend else None
        self.grain = Grain(shot.noise, size, shot.seed) if shot and shot.noise else None
        self.drawn = self.warp.drawn if self.warp else size  # before the lens bends it
        others = tuple(other.performance for other in filming.others)
        self.scene: Scene = build_scene(performance, self.drawn, filming.passer, others, filming.lit)
        self.eye: Eye | None = None
        if filming.view == "third":
            rng = np.random.default_rng(filming.eye_seed)
            if shot:
                wearers = tuple(other.performance for other in filming.others if other.worn)
                self.eye = choose_shot_camera(performance, self.scene, shot, size, rng, wearers, filming.window)
            else:
                self.eye = choose_room_camera(performance, self.scene, rng)
        self._gl = _gl_context()
        self._scn = mujoco.MjvScene(self.scene.model, 3000)
        self._opt, self._cam, self._pert = mujoco.MjvOption(), mujoco.MjvCamera(), mujoco.MjvPerturb()
        self._opt.geomgroup[:] = 1
        self._opt.geomgroup[HEAD_GROUP] = int(filming.view == "third")
        for group, hidden in zip(WALL_GROUPS, self._walls_before_the_lens(), strict=True):
            self._opt.geomgroup[group] = int(not hidden)
        self._cam.type, self._cam.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
        self._con = mujoco.MjrContext(self.scene.model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._con)

    def __enter__(self) -> Painter:
        return self

    def __exit__(self, *_: object) -> None:
        self._con.free()

    def _walls_before_the_lens(self) -> tuple[bool, bool, bool, bool]:
        """North, south, east, west: whether the room camera stands behind that wall."""
        if self.eye is None:
            return False, False, False, False
        (x, y, _), layout = self.eye.at, self.filming.performance.home.layout
        w, d = layout.width / 2 - 0.05, layout.depth / 2 - 0.05
        return y > d, y < -d, x > w, x < -w

    def camera(self, times: Array, bodies: Bodies | None = None) -> tuple[Array, Array]:
        """The camera's places (T, 3) and frames (T, 3, 3): x right, y forward, z up."""
        filming, bodies = self.filming, bodies or self.filming.bodies(times)
        if self.eye and filming.holding:
            aims = follow(filming.performance, times, self.eye)
            return filming.holding.place(np.array(self.eye.at), aims, times)
        return place_camera(filming.camera, self.eye, filming.performance, filming.spells, times, bodies)

    def fields_of_view(self, times: Array) -> Array:
        """Vertical, in degrees (T,), of the picture as it is drawn."""
        if self.filming.shot:
            return np.full(len(times), self.filming.shot.lens.field(self.size))
        return zoom(self.filming.camera, self.eye, self.filming.performance, times)

    def pose(self, time: float) -> None:
        """Move all bodies of the scene to their places at a time."""
        places, turns = self.poses(np.array([time]))
        self._set(places[0], turns[0])

    def poses(self, times: Array) -> tuple[Array, Array]:
        """Places (T, N, 3) and quaternions (T, N, 4) of all moving bodies."""
        filming, bodies = self.filming, self.filming.bodies(times)
        limbs = {**bodies.limbs, **pose_things(filming.performance, times, bodies)}
        for number, other in enumerate(filming.others):
            theirs = other.bodies(times)
            doors = moved_doors(other.performance)
            for name, pose in {**theirs.limbs, **pose_things(other.performance, times, theirs)}.items():
                if not name.startswith("door_"):
                    limbs[other_name(number, name)] = pose
                elif name in doors:  # nobody acts where somebody else does
                    limbs[name] = pose
        limbs["camera"] = self.camera(times, bodies)
        frames = limbs["camera"][1]
        limbs["passer"] = (place_passer(self.eye, frames, filming.spells, times), frames * 0 + np.eye(3))
        places = np.stack([limbs[name][0] for name in self.scene.names], axis=1)
        turns = np.stack([limbs[name][1] for name in self.scene.names], axis=1)
        return places, quaternions(turns)

    def draw(self, times: Array, shares_every: int = 1, people: bool = False) -> Frames:
        """Colour frames and shares at any times (T,); shares are counted in every `shares_every`th frame.

        With `people`, also where everybody is in those frames (of a lens that does not bend).
        """
        places, turns = self.poses(times)
        fields, gains, blurred = self.fields_of_view(times), self.filming.exposure(times), self.filming.blurred(times)
        images: list[Image] = []
        shares: list[tuple[float, ...]] = []
        seen: list[PeopleSeen] = []
        for i, using in enumerate(self.filming.performance.in_use(times)):
            self.scene.model.cam_fovy[0] = fields[i]
            self._set(places[i], turns[i])
            image = self._read(*self.drawn)
            if i % shares_every:
                shares.append(shares[-1])
            else:
                geoms = self._geoms()
                shares.append(self._shares(geoms, using))
                if people:
                    seen.append(people_seen(geoms, (self.scene.actor, *self.scene.others)))
            if blurred[i]:
                image = self._smear(image, float(times[i]))
            image = self._develop(self.warp(image) if self.warp else image, float(gains[i]))
            images.append(self.grain(image, float(times[i])) if self.grain else image)
        share = np.array(shares, np.float32).reshape(-1, 3)
        return Frames(np.stack(images), share[:, 0], share[:, 1], share[:, 2], tuple(seen))

    def _smear(self, image: Image, time: float) -> Image:
        """Motion blur: the mean of this drawing and of others while the shutter is open."""
        total = image.astype(np.uint16)
        for places, turns in zip(*self.poses(time + np.linspace(0, SHUTTER, BLUR_PARTS + 1)[1:]), strict=True):
            self._set(places, turns)
            total += self._read(*self.drawn)
        return (total // (BLUR_PARTS + 1)).astype(np.uint8)

    def _set(self, places: Array, turns: Array) -> None:
        model, data = self.scene.model, self.scene.data
        data.mocap_pos[:], data.mocap_quat[:] = places, turns
        self._mujoco.mj_kinematics(model, data)
        self._mujoco.mj_camlight(model, data)
        self._mujoco.mjv_updateScene(
            model, data, self._opt, self._pert, self._cam, self._mujoco.mjtCatBit.mjCAT_ALL, self._scn
        )

    def _read(self, width: int, height: int) -> Image:
        rect = self._mujoco.MjrRect(0, 0, width, height)
        self._mujoco.mjr_render(rect, self._scn, self._con)
        image = np.empty((height, width, 3), np.uint8)
        self._mujoco.mjr_readPixels(image, None, rect, self._con)
        return image[::-1]

    def _geoms(self) -> NDArray[np.int64]:
        """The geom that each pixel shows (h, w), at half size; -1: none."""
        flags, kind = self._scn.flags, self._mujoco.mjtRndFlag
        flags[kind.mjRND_SEGMENT], flags[kind.mjRND_IDCOLOR], flags[kind.mjRND_SHADOW] = 1, 1, 0
        image = self._read(self.size[0] // 2, self.size[1] // 2).astype(np.int32)
        flags[kind.mjRND_SEGMENT], flags[kind.mjRND_IDCOLOR], flags[kind.mjRND_SHADOW] = 0, 0, 1
        ids = image[..., 0] + image[..., 1] * 256 + image[..., 2] * 65536
        return self._geom_of_segment[np.clip(ids, 0, len(self._geom_of_segment) - 1)]

    def _shares(self, geoms: NDArray[np.int64], using: str) -> tuple[float, ...]:
        """Share of pixels of the hands, of the object in use and of the whole actor."""
        count = np.bincount(geoms.ravel() + 1, minlength=self.scene.model.ngeom + 1)[1:]
        groups = self.scene.hands, self.scene.parts.get(using, ()), self.scene.actor
        return tuple(float(count[list(group)].sum()) / geoms.size for group in groups)

    @cached_property
    def _geom_of_segment(self) -> NDArray[np.int64]:
        """Which geom a segment number (from 1) is: the same in every frame of a take."""
        table = np.full(self._scn.ngeom + 1, -1, np.int64)
        for geom in self._scn.geoms[: self._scn.ngeom]:
            if geom.segid >= 0 and geom.objtype == self._mujoco.mjtObj.mjOBJ_GEOM:
                table[geom.segid + 1] = geom.objid
        return table

    def _develop(self, image: Image, gain: float) -> Image:
        """Exposure, white balance and contrast of this camera."""
        camera = self.filming.camera
        level = np.arange(256)[:, None] / 255.0 * gain * np.array(camera.gain)
        table = (np.clip(level, 0.0, 1.0) ** camera.gamma * 255).astype(np.uint8)
        return np.stack([table[:, c][image[..., c]] for c in range(3)], axis=-1)


@lru_cache(maxsize=1)
def _gl_context() -> Any:
    """The process's GL context: making it costs a second, a take's model a few milliseconds.

    Its own size does not matter: MuJoCo draws into buffers of the model's size. Mesa's software renderer and Triton
    (which comes with PyTorch, and is loaded when somebody trains) each bring their own LLVM: the process crashes
    if Triton's is loaded second.
    """
    with suppress(ImportError):
        importlib.import_module("triton")
    try:
        mujoco = load_mujoco()
        if os.environ.get("MUJOCO_GL") == "egl":  # also where somebody imported MuJoCo before us, for another display
            mujoco = importlib.import_module("mujoco.egl")
        context = mujoco.GLContext(64, 64)
        context.make_current()
    except (ImportError, AttributeError, RuntimeError, OSError) as error:
        raise no_egl(error) from None
    return context


def check_drawing() -> None:
    """Check that drawing is possible; if not, say what to install."""
    load_mujoco()
    _gl_context()
