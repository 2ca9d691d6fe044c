"""The verb that asks whether a data set is in step: audit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff

from actor_observer.cli.argument import arg
from actor_observer.cli.ends.ending import LEFT_OUT, under_way
from actor_observer.cli.options import Data, Json, On, ShardOption, Videos, refuse_file
from actor_observer.console import counted, print_json, say, screen
from actor_observer.errors import UserError

if TYPE_CHECKING:
    from actor_observer.auditing.audit import Audit

__all__ = ["audit"]


def audit(
    data: Data,
    out: Annotated[
        Path,
        arg(
            metavar="DIR",
            help="Where audit.html, audit.csv and audit.json go, and what was measured: the same command resumes. "
            "With --shard: a file, FILE.jsonl.",
        ),
    ] = Path("audit"),
    videos: Videos = (),
    first: Annotated[
        str | None, arg(metavar="CAMERA", help="Which camera is the actor's, where the data set only names cameras.")
    ] = None,
    fix: Annotated[
        Path | None, arg(metavar="OUT", help="Write the data set's corrected clocks there; DATA is never touched.")
    ] = None,
    force: Annotated[FlagCreatePairsOff[bool], arg(help="Write over what --fix wrote before.")] = False,
    copy: Annotated[
        FlagCreatePairsOff[bool], arg(help="With --fix of LeRobot v3: copy its videos instead of linking them.")
    ] = False,
    shard: ShardOption = None,
    on: On = None,
    json: Json = False,
) -> None:
    """Is a data set in step, and what is wrong with its files? Exit code 3 if something was found.

    Try it:  actor-observer audit DATA --out audit
    """
    from actor_observer.auditing.audit import audit as audit_data
    from actor_observer.auditing.fix import check_fix, write_fixed
    from actor_observer.auditing.measuring.events import events_of
    from actor_observer.auditing.written import write_files
    from actor_observer.cluster.on_ray import for_each_on
    from actor_observer.pairs import read_manifest
    from actor_observer.pictures.audit.page import write_page

    if shard:
        if fix:
            raise UserError("--fix needs the whole data set: audit it after merge")
        _part(data, out, videos, first, shard, on, json)
        return
    refuse_file("--out", out)
    if fix:
        check_fix(data, fix, force)
    takes = len(events_of(read_manifest(data, videos, first=first)))
    with under_way("auditing", takes, f"what is measured lies in {out}") as step:
        found = audit_data(data, out, videos, first, step, for_each_on(on, on_gpu=False))
    written = [write_page(found, out / "audit.html"), *write_files(found, out)]
    fixed: list[str] = []
    if fix:
        fixed = write_fixed(found, data, fix, force, copy)
    if json:
        print_json(found.to_dict())
    else:
        _show(found)
        for path in written:
            say(f"written     {path}")
        for line in fixed:
            say(f"fixed       {line}")
    if not found.clean:
        sys.exit(LEFT_OUT)


def _part(
    data: Path, out: Path, videos: tuple[Path, ...], first: str | None, shard: str, on: str | None, json: bool
) -> None:
    from actor_observer.auditing.audit import audit_part
    from actor_observer.auditing.measuring.events import events_of
    from actor_observer.cluster.on_ray import for_each_on
    from actor_observer.pairs import read_manifest
    from actor_observer.shards import Shard

    part = Shard.parse(shard)
    if out.suffix != ".jsonl":
        raise UserError(f"{out}: with --shard, what is measured is written as .jsonl; merge puts the parts together")
    takes = len(part.of(events_of(read_manifest(data, videos, first=first))))
    with under_way("measuring", takes, f"what is measured lies in {out}.parts") as step:
        done = audit_part(data, out, part, videos, first, step, for_each_on(on, on_gpu=False))
    if json:
        print_json({"path": str(out), "takes": done})
    else:
        say(f"{out}: {counted(done, 'take')} measured")


def _show(found: Audit) -> None:
    from actor_observer.auditing.table import MOST, delay_table, finding_table

    console = screen()
    if found.usuals:
        console.print(delay_table(found))
    if found.findings:
        console.print()
        console.print(finding_table(found))
        if len(found.findings) > MOST:
            say(f"… and {len(found.findings) - MOST} more")
    before = f" ({found.resumed} were measured before)" if found.resumed else ""
    say(f"{found}{before}")
