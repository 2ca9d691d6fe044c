"""What recordings say of themselves, asked by a process with limits: the server opens none in its own."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from actor_observer.errors import TakeError, UserError
from actor_observer.pairs.manifest import Manifest, Take
from actor_observer.web.data import open_data
from actor_observer.web.media.examine_child import read_facts
from actor_observer.web.media.playable import Facts
from actor_observer.web.settings import Settings
from actor_observer.web.work.helper import Helper
from actor_observer.web.work.plain_manifest import from_plain

__all__ = ["Headers"]


class Headers:
    """Reads data sets and headers. Where `settings.apart` is off, the owner's own are read by this process."""

    def __init__(self, settings: Settings) -> None:
        self.helper = Helper("headers", confined=True, offline=True)
        self._settings = settings
        self._facts: dict[str, Facts] = {}
        self._lock = threading.Lock()

    def manifest(self, data: Sequence[Path], strangers: bool) -> Manifest:
        """What a data set holds; `strangers`: it is made of recordings that came in."""
        settings = self._settings
        if not data or not (settings.apart or strangers):
            return open_data(data, settings.videos, settings.seed, settings.first)
        names, more = [str(one) for one in data], [str(one) for one in settings.videos]
        asked: dict[str, Any] = {"data": names, "videos": more, "seed": settings.seed, "first": settings.first}
        return from_plain(self.helper.call("manifest", **asked))

    def facts(self, take: Take, strangers: bool) -> Facts:
        """What the header of a take's file says; read once."""
        with self._lock:
            facts = self._facts.get(take.id)
        if facts is None:
            if self._settings.apart or strangers:
                facts = Facts(**self.helper.call("facts", path=str(take.path.absolute())))
            else:
                try:
                    facts = read_facts(take.path)
                except TakeError as error:
                    raise UserError(str(error)) from None
            with self._lock:
                self._facts[take.id] = facts
        return facts

    def forget(self) -> None:
        """Read headers anew from now on."""
        with self._lock:
            self._facts.clear()
