"""Verbs of the page: studio, agreement."""

from __future__ import annotations

import getpass
import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff, Positional

from actor_observer.cli.argument import arg
from actor_observer.cli.options import Data, First, Json, Model, Seed, Videos
from actor_observer.console import counted, screen
from actor_observer.errors import UserError, missing_extra
from actor_observer.stopping import keeping

if TYPE_CHECKING:
    from actor_observer.web.settings import ScriptRow

__all__ = ["agreement", "studio"]

SECONDS = (20.0, 38.0)  # of a script, about


def studio(
    places: Annotated[
        Positional[tuple[Path, ...]],
        arg(
            metavar="DATA_OR_RUN",
            help="A data set, a folder of videos or two videos; runs; an index. Nothing: only what is collected here.",
            help_behavior_hint="",
        ),
    ] = (),
    keep: Annotated[
        Path | None, arg(metavar="DIR", help="The studio's own folder; else `studio` beside the data.")
    ] = None,
    port: Annotated[int, arg(help="Where the page is served.")] = 8417,
    no_open: Annotated[FlagCreatePairsOff[bool], arg(help="Do not open a browser.")] = False,
    share: Annotated[
        FlagCreatePairsOff[bool], arg(help="Serve the local network by https; each person gets a link.")
    ] = False,
    host: Annotated[
        tuple[str, ...], arg(metavar="NAME", help="With --share: this machine's names or addresses for others.")
    ] = (),
    certificate: Annotated[
        Path | None, arg(metavar="PEM", help="With --share: a certificate of your own; else one is made.")
    ] = None,
    key: Annotated[Path | None, arg(metavar="PEM", help="The certificate's key.")] = None,
    http: Annotated[
        FlagCreatePairsOff[bool], arg(help="With --share: no https. Phones can then only upload, not record.")
    ] = False,
    scripts: Annotated[
        Path | None, arg(metavar="CSV", help="Scripts to act out; else Charades' or playhouse's (see docs/studio.md).")
    ] = None,
    per_class: Annotated[int, arg(help="Recordings that each class should get.")] = 10,
    quota: Annotated[float, arg(metavar="GB", help="Keep no more recordings than this.")] = 200.0,
    name: Annotated[str | None, arg(metavar="NAME", help="The owner's name; else that of your login.")] = None,
    backup: Annotated[
        Path | None, arg(metavar="ZIP", help="Write everything into one file, and do nothing else.")
    ] = None,
    videos: Videos = (),
    model: Model = None,
    seed: Seed = 0,
    first: First = None,
) -> None:
    """Open a page to look at pairs in step, mark shared moments, study how people align, and collect recordings.

    Try it:  actor-observer studio ~/CharadesEgo runs/first
    """
    try:
        from actor_observer.web.serving.server import serve
    except ImportError:
        raise missing_extra("the studio", "web") from None
    from actor_observer.web.backup import write_backup
    from actor_observer.web.data import sort_places
    from actor_observer.web.serving.tls import local_address, self_signed
    from actor_observer.web.settings import GIB, Limits, Settings

    if not 0 < port < 65536:
        raise UserError(f"--port {port}: give a number from 1 to 65535")
    if per_class < 1 or not quota > 0:
        raise UserError(f"--per-class {per_class} --quota {quota:g}: give numbers above zero")
    found = sort_places(places)
    home = keep or found.home / "studio"
    if backup:
        print(f"{backup}: {counted(write_backup(home, backup), 'file')}")
        return
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]", "::1")
    files = None
    if share:
        hosts = (*(host or (local_address(),)), *hosts)
        if not http:
            if (certificate is None) != (key is None):
                raise UserError("give both --certificate and --key, or neither")
            try:
                home.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UserError(f"{home}: cannot be written ({error.strerror}); choose another --keep") from None
            files = (certificate, key) if certificate and key else self_signed(home, hosts)
    rows, names = _scripts(scripts, found.home)
    settings = Settings(
        keep=home,
        places=found,
        videos=tuple(videos),
        model=model,
        scripts=rows,
        class_names=names,
        per_class=per_class,
        hosts=hosts,
        port=port,
        https=files is not None,
        seed=seed,
        first=first,
        limits=Limits(quota=int(quota * GIB)),
    )
    with keeping(f"all that the page said is saved is kept in {home}"):
        serve(
            settings,
            owner=name or _user(),
            share=share,
            certificate=files,
            open_page=not no_open,
            say=lambda text: print(text, flush=True),
        )


def agreement(
    data: Data,
    keep: Annotated[Path | None, arg(metavar="DIR", help="The studio's folder; else `studio` beside the data.")] = None,
    out: Annotated[
        Path | None, arg(metavar="FILE", help="Where it goes; else agreement.json beside the data, of marks nowhere.")
    ] = None,
    marks: Annotated[
        FlagCreatePairsOff[bool], arg(help="Of people's marks, in the studio or its queue, not of studies.")
    ] = False,
    json: Json = False,
) -> None:
    """Say how well people aligned a data set in its studies; `evaluate` then prints their row beside the methods.

    With --marks: how far each person's marks are from the clock through the other people's.

    Try it:  actor-observer agreement ~/CharadesEgo
    """
    from rich.markup import escape
    from rich.table import Table

    from actor_observer.web.study.agreement import write_agreement
    from actor_observer.web.study.mark_agreement import mark_agreement

    found = mark_agreement(data, keep, out) if marks else write_agreement(data, keep, out)
    if json:
        print(json_format.dumps([one.to_dict() for one in found], indent=2, ensure_ascii=False))
        return
    for one in found:
        table = Table(
            "", "median (s)", "mean (s)", "within 1 s (%)", "answers", "skipped", "pairs", "people?", box=None
        )
        every = [*one.lines, *([one.overall] if one.overall and len(one.lines) > 1 else [])]
        for line in every:
            name = "all" if line is one.overall else escape(line.name)
            counts = [str(number) for number in (line.answers, line.skipped, line.pairs)]
            said = "yes" if line.people else line.who
            table.add_row(name, str(line.median), str(line.mean), line.within.percent(), *counts, said)
        screen().print(f"against {one.against}")
        screen().print(table)


def _scripts(path: Path | None, home: Path) -> tuple[tuple[ScriptRow, ...], dict[str, str]]:
    """The scripts named, or Charades' own where the data has them, or playhouse's."""
    from actor_observer.web.collect.scripts import read_class_names, read_scripts

    if path is not None:
        return read_scripts(path), read_class_names(path)
    for name in ("Charades_v1_train.csv", "CharadesEgo_v1_train.csv"):
        if (home / name).is_file():
            return read_scripts(home / name), read_class_names(home / name)
    return _playhouse_scripts()


def _playhouse_scripts(count: int = 200) -> tuple[tuple[ScriptRow, ...], dict[str, str]]:
    import numpy as np

    from actor_observer.playhouse.acting.scripting.actions import ACTIONS
    from actor_observer.playhouse.acting.scripting.scripts import write_script
    from actor_observer.playhouse.acting.scripting.units import AT_PLACE
    from actor_observer.web.settings import ScriptRow

    rows: dict[str, ScriptRow] = {}
    for seed in range(count):
        script = write_script(frozenset(AT_PLACE), np.random.default_rng(seed), SECONDS)
        labels = tuple(dict.fromkeys(step.label for step in script.steps))
        things = ";".join(dict.fromkeys(prop.kind for prop in script.props))
        rows.setdefault(script.text, ScriptRow(script.text, labels, things))
    return tuple(rows.values()), {label: action.name for label, action in ACTIONS.items()}


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "owner"
