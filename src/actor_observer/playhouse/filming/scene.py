"""The scene of one take as a MuJoCo model: room, furniture, actor, objects, and the camera."""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from actor_observer.errors import UserError, missing_extra
from actor_observer.playhouse.acting.body import body_geoms
from actor_observer.playhouse.acting.performance import Performance
from actor_observer.playhouse.home.geoms import Geom, box, capsule, ellipsoid
from actor_observer.playhouse.home.homes import Home
from actor_observer.playhouse.home.textures import texture_file

__all__ = ["HEAD_GROUP", "WALL_GROUPS", "Scene", "build_scene", "load_mujoco", "no_egl", "other_name"]

HEAD_GROUP = 3  # the head camera does not see its own head
WALL_GROUPS = (1, 2, 4, 5)  # north, south, east, west: a room camera may stand behind a wall and look through it


def load_mujoco() -> Any:
    """The `mujoco` module, or one line that says what to install."""
    if sys.platform == "linux":  # elsewhere MuJoCo chooses for itself
        os.environ.setdefault("MUJOCO_GL", "egl")  # read when MuJoCo is first imported
    os.environ.setdefault("LP_NUM_THREADS", "0")  # one process per core: Mesa's drawing threads would only compete
    try:
        import mujoco
    except (ImportError, AttributeError, RuntimeError, OSError) as error:
        if importlib.util.find_spec("mujoco") is None:
            raise missing_extra("the playhouse", "sim") from None
        raise no_egl(error) from None  # the module is installed, but the library it draws with fails
    return mujoco


def no_egl(error: Exception) -> UserError:
    """The error for a machine on which nothing can be drawn.

    >>> print(no_egl(OSError("libEGL.so.1 is missing")))
    the playhouse draws through EGL, which is not usable here (libEGL.so.1 is missing); on Debian or Ubuntu:
    apt install libegl1 libgl1 libopengl0 libegl-mesa0
    """
    reason = str(error).partition(". ")[0]
    packages = "libegl1 libgl1 libopengl0 libegl-mesa0"
    return UserError(
        f"the playhouse draws through EGL, which is not usable here ({reason}); "
        f"on Debian or Ubuntu: apt install {packages}"
    )


@dataclass(frozen=True)
class Scene:
    """A compiled model and the names of its moving bodies in the order of `mocap_pos`."""

    model: Any
    data: Any
    names: tuple[str, ...]
    actor: tuple[int, ...]  # geom ids
    hands: tuple[int, ...]
    parts: dict[str, tuple[int, ...]]  # object -> geom ids
    others: tuple[tuple[int, ...], ...] = ()  # geom ids of everybody else


def _body(name: str, geoms: list[Geom] | tuple[Geom, ...], group: int = 0) -> str:
    shapes = "".join(geom.xml(group=group) for geom in geoms)
    return f'<body name="{name}" mocap="true" pos="0 0 -50">{shapes}</body>'


def _room(home: Home) -> str:
    w, d, h = home.layout.width / 2, home.layout.depth / 2, home.ceiling
    planes = [f'<geom type="plane" size="{w} {d} 0.1" material="floor"/>']
    planes.append(f'<geom type="plane" size="{w} {d} 0.1" pos="0 0 {h}" euler="180 0 0" material="ceiling"/>')
    walls = ((0, d, w, "1 0 0 0 0 1"), (0, -d, w, "-1 0 0 0 0 1"), (w, 0, d, "0 -1 0 0 0 1"), (-w, 0, d, "0 1 0 0 0 1"))
    for group, (x, y, half, axes) in zip(WALL_GROUPS, walls, strict=True):
        place = f'size="{half} {h / 2} 0.1" pos="{x} {y} {h / 2}" xyaxes="{axes}"'
        planes.append(f'<geom type="plane" {place} material="wall" group="{group}"/>')
    skirting = [box(2 * w, 0.02, 0.1, (0, s * d, 0.05), "wood2") for s in (-1, 1)] + [
        box(0.02, 2 * d, 0.1, (s * w, 0, 0.05), "wood2") for s in (-1, 1)
    ]
    return "".join(planes) + "".join(geom.xml() for geom in skirting)


def _furniture(home: Home) -> str:
    text = []
    for kind, standing in home.standings.items():
        shapes = "".join(geom.xml() for geom in standing.place.geoms)
        where = f'pos="{standing.x:.4f} {standing.y:.4f} 0" euler="0 0 {np.degrees(standing.yaw):.3f}"'
        text.append(f'<body name="place_{kind}" {where}>{shapes}</body>')
    return "".join(text)


def _materials(home: Home) -> tuple[str, dict[str, bytes]]:
    text, assets = [], {}
    for role, material in home.materials.items():
        assets[f"{role}.png"] = texture_file(material)
        text.append(f'<texture name="{role}" type="2d" file="{role}.png"/>')
        repeat = f'texuniform="true" texrepeat="{material.repeat} {material.repeat}"'
        shine = f'specular="{material.shine}" shininess="{0.3 + 0.5 * material.shine}" reflectance="0"'
        text.append(f'<material name="{role}" texture="{role}" {repeat} {shine}/>')
    return "".join(text), assets


def _lights(home: Home, focus: tuple[float, float]) -> str:
    """A lamp under the ceiling that casts shadows, and some light from everywhere."""
    b, warm = home.brightness, home.warmth
    x, y, z = home.light
    main = (
        f'directional="false" pos="{x} {y} {z}" dir="{focus[0] - x:.3f} {focus[1] - y:.3f} {0.8 - z:.3f}"'
        ' cutoff="88" exponent="2"'
        f' diffuse="{0.62 * b * (1 + warm):.3f} {0.60 * b:.3f} {0.57 * b * (1 - warm):.3f}" specular="0.06 0.06 0.06"'
    )
    soft = f"{0.22 * b:.2f} {0.22 * b:.2f} {0.24 * b:.2f}"
    fill = f'directional="true" pos="0 0 2.4" dir="{-x:.2f} {-y:.2f} -1.2" diffuse="{soft}"'
    return f'<light {main} castshadow="true"/><light {fill} specular="0 0 0" castshadow="false"/>'


def passer_by(colour: tuple[float, float, float]) -> list[Geom]:
    """Somebody who walks through the picture: close to the camera, a shape without detail."""
    dark = (colour[0] * 0.5, colour[1] * 0.5, colour[2] * 0.5)
    skin = (0.75, 0.56, 0.44)
    trunk = [
        capsule(0.15, (-0.09, 0, -0.3), (-0.12, 0, 0.2), colour),
        capsule(0.15, (0.09, 0, -0.3), (0.12, 0, 0.2), colour),
    ]
    arms = [capsule(0.065, (s * 0.27, 0, 0.24), (s * 0.34, 0, -0.3), colour) for s in (-1, 1)]
    head = [
        ellipsoid(0.09, 0.11, 0.13, (0, 0, 0.52), skin),
        ellipsoid(0.1, 0.12, 0.1, (0, 0, 0.58), dark),
        capsule(0.06, (0, 0, 0.3), (0, 0, 0.4), skin),
    ]
    return [*trunk, *arms, *head, *(capsule(0.11, (s * 0.1, 0, -0.4), (s * 0.12, 0, -1.1), dark) for s in (-1, 1))]


def other_name(number: int, name: str) -> str:
    """What a limb or thing of somebody else is called in the scene.

    >>> other_name(0, "head")
    'by0_head'
    """
    return f"by{number}_{name}"


def build_scene(
    performance: Performance,
    size: tuple[int, int],
    passer: tuple[float, float, float],
    others: tuple[Performance, ...] = (),
    lit: Performance | None = None,
) -> Scene:
    """Compile the model of a performance and of what others do beside it, with a camera that Painter places."""
    mujoco = load_mujoco()
    home = performance.home
    limbs = body_geoms(performance.actor)
    bodies = {name: _body(name, geoms, HEAD_GROUP if name == "head" else 0) for name, geoms in limbs.items()}
    for number, other in enumerate(others):
        shapes = {other_name(number, name): geoms for name, geoms in body_geoms(other.actor).items()}
        bodies |= {name: _body(name, geoms) for name, geoms in shapes.items()}
        bodies |= _things(other, number)
    bodies |= _things(performance)
    for standing in home.standings.values():
        for name, door in standing.place.doors.items():
            bodies[f"door_{name}"] = _body(f"door_{name}", door.hinge.geoms)
    bodies["passer"] = _body("passer", passer_by(passer))
    bodies["camera"] = '<body name="camera" mocap="true"><camera name="camera" xyaxes="1 0 0 0 0 1"/></body>'
    materials, assets = _materials(home)
    standing = home.standings[(lit or performance).script.places[0]]
    things = _lights(home, (standing.x, standing.y)) + _room(home) + _furniture(home) + "".join(bodies.values())
    xml = f"""<mujoco>
<compiler angle="degree" eulerseq="xyz"/>
<statistic extent="1" center="0 0 1"/>
<visual><global offwidth="{size[0]}" offheight="{size[1]}"/><map znear="0.02" zfar="30"/>
<quality shadowsize="512" offsamples="0" numslices="14" numstacks="8" numquads="2"/>
<headlight ambient="0.50 0.50 0.50" diffuse="0.22 0.22 0.22" specular="0 0 0"/></visual>
<asset><texture type="skybox" builtin="flat" rgb1="0.4 0.4 0.42" rgb2="0.4 0.4 0.42" width="8" height="8"/>
{materials}</asset>
<default><geom contype="0" conaffinity="0"/></default>
<worldbody>{things}</worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml, assets)
    data = mujoco.MjData(model)

    def geom_ids(*names: str) -> tuple[int, ...]:
        wanted = {model.body(name).id for name in names}
        return tuple(int(i) for i in np.flatnonzero(np.isin(model.geom_bodyid, list(wanted))))

    parts = {
        kind: geom_ids(kind, *([f"{kind}_lid"] if thing.hinge else [])) for kind, thing in performance.things.items()
    }
    hands = geom_ids("open_r", "open_l", "fist_r", "fist_l")
    people = tuple(geom_ids(*(other_name(number, name) for name in limbs)) for number in range(len(others)))
    return Scene(model, data, tuple(bodies), geom_ids(*limbs), hands, parts, people)


def _things(performance: Performance, number: int | None = None) -> dict[str, str]:
    """The bodies of what somebody handles; `number` is given for others."""
    found: dict[str, tuple[Geom, ...]] = {}
    for kind, thing in performance.things.items():
        found[kind] = tuple(thing.geoms)
        if thing.hinge:
            found[f"{kind}_lid"] = tuple(thing.hinge.geoms)
    named = {kind if number is None else other_name(number, kind): geoms for kind, geoms in found.items()}
    return {name: _body(name, geoms) for name, geoms in named.items()}
