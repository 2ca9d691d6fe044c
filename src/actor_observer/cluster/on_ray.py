"""Hand the items of a job to a Ray cluster: one task for each item, the results in order.

Ray schedules, and repeats what was lost with a worker or a node. Every machine needs this package and the same Python
and Ray, and must see the videos under the same paths. A task decodes where it embeds: on a core, or, where the cluster
has GPUs, on one of those. What all tasks need travels once to each machine, and is unpacked and made ready once in each
worker.
"""

from __future__ import annotations

import logging
import os
import socket
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
import torch

from actor_observer.errors import UserError, first_line, missing_extra
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.extract import Extract, extract
from actor_observer.features.look import Look
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.model.backbones.fold import for_inference
from actor_observer.pairs.manifest import Fault, Take

__all__ = ["connect", "extract_on", "extract_on_ray", "for_each_on", "for_each_on_ray"]

RETRIES = 3  # times that an item is begun again after its worker or node was lost
AHEAD = 2  # items under way for each worker: the next waits beside the one in work
PATIENCE = 10.0  # seconds in which a cluster must answer
LOCAL = "ray"  # the cluster of this machine, or of RAY_ADDRESS

Item = TypeVar("Item")
Result = TypeVar("Result")


def connect(on: str) -> Any:
    """The module ray, connected to a cluster; where there is none, one line says what to do.

    >>> connect("spark")
    Traceback (most recent call last):
    actor_observer.errors.UserError: --on spark: use ray, or the address of a Ray cluster such as ray://head:10001
    """
    if on != LOCAL and not on.startswith("ray://"):
        raise UserError(f"--on {on}: use ray, or the address of a Ray cluster such as ray://head:10001")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    try:
        ray: Any = import_module("ray")
    except ImportError:
        raise missing_extra("--on ray", "cluster") from None
    if ray.is_initialized():
        return ray
    try:
        _knock(os.environ.get("RAY_ADDRESS", "") if on == LOCAL else on)
        with warnings.catch_warnings(action="ignore"):  # what goes wrong is said below, in one line
            ray.init(address="auto" if on == LOCAL else on, log_to_driver=False, logging_level=logging.ERROR)
    except ConnectionError:
        address = os.environ.get("RAY_ADDRESS") if on == LOCAL else on
        where = f"at {address}" if address else "on this machine"
        hint = "start one (ray start --head), or name it: --on ray://HEAD:10001"
        raise UserError(f"no Ray cluster {where}: {hint}") from None
    except (RuntimeError, ImportError, ValueError, OSError) as error:
        why = "it runs another version of Ray or Python" if "ersion mismatch" in str(error) else "cannot be used"
        raise UserError(f"--on {on}: {why} ({' '.join(str(error).split())[:200]})") from None
    return ray


def _knock(address: str) -> None:
    """Raise where nobody listens at HOST:PORT: Ray would wait for minutes. Where no port is named, Ray looks itself.

    >>> _knock("ray://127.0.0.1:1")
    Traceback (most recent call last):
    ConnectionError: ray://127.0.0.1:1: nobody listens there
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE).close()
        except (OSError, OverflowError):
            raise ConnectionError(f"{address}: nobody listens there") from None


def for_each_on_ray(
    on: str,
    work: Callable[[Item], Result],
    items: Iterable[Item],
    retries: int = RETRIES,
    on_gpu: bool = True,  # ask for a GPU for each task, where the cluster has any
) -> Iterator[Result | Fault]:
    """The result of each item, in order. An item whose workers keep dying gives a fault instead.

    >>> next(for_each_on_ray("spark", str.upper, ["a"]))
    Traceback (most recent call last):
    actor_observer.errors.UserError: --on spark: use ray, or the address of a Ray cluster such as ray://head:10001
    """
    ray = connect(on)
    resources = ray.cluster_resources()
    gpus = int(resources.get("GPU", 0)) if on_gpu else 0
    task = ray.remote(_do).options(max_retries=retries, num_cpus=1, num_gpus=1 if gpus else 0)
    shared = ray.put(work)
    most = AHEAD * max(1, gpus or int(resources.get("CPU", 1)))
    under_way: deque[tuple[Item, Any]] = deque()
    for item in items:
        under_way.append((item, task.remote([shared], item)))
        if len(under_way) >= most:
            yield _result(ray, *under_way.popleft())
    while under_way:
        yield _result(ray, *under_way.popleft())


def extract_on_ray(
    on: str,
    backbone: Backbone,
    takes: Iterable[Take],
    look: Look,
    device: str | torch.device = "cpu",
    each: Callable[[], object] = lambda: None,  # called once for every take
    part: Callable[[float], object] = lambda share: None,  # not called: what is under way is elsewhere
) -> Iterator[tuple[Take, TakeEmbedding | Fault]]:
    """As `extract`, on a cluster: φ of every take in order, or its fault.

    >>> from actor_observer.model import create_backbone
    >>> next(extract_on_ray("spark", create_backbone("resnet18", pretrained=False), [], Look(size=32)))
    Traceback (most recent call last):
    actor_observer.errors.UserError: --on spark: use ray, or the address of a Ray cluster such as ray://head:10001
    """
    ray = connect(on)
    where = "cuda" if ray.cluster_resources().get("GPU", 0) else "cpu"
    handed: deque[Take] = deque()

    def noted() -> Iterator[Take]:
        for take in takes:
            handed.append(take)
            yield take

    for found in for_each_on_ray(on, _Phi(backbone, look, where), noted()):
        if isinstance(found, TakeEmbedding):  # arrays in Ray's memory may not be written to
            found = replace(found, times=found.times.copy(), features=np.array(found.features))
        yield handed.popleft(), found
        each()


@dataclass(frozen=True)
class _Phi:
    """φ of a take, or its fault."""

    backbone: Backbone
    look: Look
    device: str

    @cached_property
    def ready(self) -> Backbone:  # in a worker, for all of its takes
        return for_inference(self.backbone, self.device)

    def __call__(self, take: Take) -> TakeEmbedding | Fault:
        [(_, found)] = extract(self.ready, [take], self.look, self.device)
        return found


def _do(shared: list[Any], item: Any) -> Any:
    """One item, in a worker. What all tasks need is unpacked once there, not for every item."""
    [reference] = shared  # in a list Ray leaves it as it is
    if (name := reference.hex()) not in _unpacked:
        _unpacked.clear()  # of another job
        _unpacked[name] = import_module("ray").get(reference)
    return _unpacked[name](item)


_unpacked: dict[str, Callable[[Any], Any]] = {}


def _name(item: Any) -> str:
    """What people call an item: its file, its id, or the first of what it consists of.

    >>> _name(("AB1CD", "third", "first"))
    'AB1CD'
    """
    if isinstance(item, tuple):
        return str(item[0])
    return str(getattr(item, "path", None) or getattr(item, "id", item))


def _result(ray: Any, item: Any, reference: Any) -> Any:
    errors = ray.exceptions
    try:
        return ray.get(reference)
    except errors.RayTaskError as error:  # raised by the work itself
        cause = error.cause
        if isinstance(cause, UserError):
            raise cause from None
        raise UserError(f"{_name(item)}: failed on the cluster ({first_line(cause)[:160]})") from error
    except (errors.WorkerCrashedError, errors.NodeDiedError, errors.ObjectLostError, errors.OutOfMemoryError) as error:
        return Fault(_name(item), f"lost with its worker each time ({type(error).__name__})", left_out=True)
    except errors.RayError as error:
        raise UserError(f"the Ray cluster is gone ({first_line(error)[:160]}); the same command resumes") from error


def extract_on(on: str | None) -> Extract:
    """`extract` here, or on a cluster.

    >>> extract_on(None) is extract
    True
    """
    if on is None:
        return extract
    connect(on)  # a cluster that is not there is noticed before anything is done
    return partial(extract_on_ray, on)


def for_each_on(on: str | None, on_gpu: bool = True) -> Any:
    """`map` here, or on a cluster.

    >>> for_each_on(None) is map
    True
    """
    if on is None:
        return map
    connect(on)
    return partial(for_each_on_ray, on, on_gpu=on_gpu)
