"""Work that was acknowledged stays: one studio for a folder, one piece of an upload at a time."""

from __future__ import annotations

import os
import signal
import socket
import threading
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.web.collect.uploads import OutOfPlace, Uploads
from actor_observer.web.settings import Limits, ScriptRow
from actor_observer.web.store.database import Database
from forked import command
from served import serving


def test_a_second_studio_on_a_folder_is_refused_and_the_first_ones_upload_lives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actor_observer.disk.whole.PATIENCE", 0.0)
    keep = tmp_path / "studio"
    with serving(keep, scripts=(ScriptRow("Do it.", ("c000",)),), limits=Limits(free=0)) as served:
        client = served.client("collect", "ann")
        client.good("POST", "/api/consent")
        script = client.good("POST", "/api/script")["script"]
        id = client.good("POST", "/api/uploads", {"assignment": script["id"], "view": "third", "size": 10})["id"]
        assert client.raw("PUT", f"/api/uploads/{id}?offset=0", b"12345")[0] == 200
        converting = keep / "uploads" / "whole" / f"{id}.mp4"  # as while it is taken in
        converting.write_bytes(b"half")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        for choice in (port, served.port):  # also where the port is busy: the folder is what is wrong
            with pytest.raises(SystemExit):
                main(["studio", "--keep", str(keep), "--no-open", "--port", str(choice)])
            said = capsys.readouterr()
            assert "another process is writing to this studio; open the page of the one that runs" in said.err
            assert "Studio:" not in said.out
        assert converting.is_file()
        assert client.raw("PUT", f"/api/uploads/{id}?offset=5", b"67890")[0] == 200, "its session goes on"
    again = Database(keep)
    assert again.one("SELECT received FROM uploads")["received"] == 10  # type: ignore[index]
    again.close()


def test_two_pieces_for_one_place_do_not_write_into_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uploads = Uploads(Database(tmp_path), tmp_path / "uploads", Limits(free=0))
    id = uploads.start(1, 1, "third", None, {})
    other_done, forced = threading.Event(), os.fsync
    first = threading.current_thread()
    answers: list[object] = []

    def slow_disk(handle: int) -> None:
        if threading.current_thread() is first:
            other.start()
            other_done.wait(0.3)
        forced(handle)

    def put_another() -> None:
        try:
            answers.append(uploads.put(id, 1, 0, b"b" * 500))
        except UserError as error:
            answers.append(error)
        other_done.set()

    other = threading.Thread(target=put_another)
    monkeypatch.setattr("actor_observer.web.collect.uploads.os.fsync", slow_disk)
    assert uploads.put(id, 1, 0, b"a" * 2000) == 2000
    other.join()
    assert uploads.path(id).read_bytes() == b"a" * 2000, "what was acknowledged is there"
    assert isinstance(answers[0], OutOfPlace) and answers[0].received == 2000


@pytest.mark.parametrize("how", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_however_it_is_stopped_one_file_holds_all(how: signal.Signals, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    keep = tmp_path / "studio"
    process = command("studio", "--keep", str(keep), "--no-open", "--port", str(port))

    def answers() -> bool:
        with socket.socket() as trying:
            return "Studio: " in process.said and trying.connect_ex(("127.0.0.1", port)) == 0

    process.wait_until(answers)
    link = process.said.split("Studio: ")[1].split()[0]
    with suppress(OSError), urllib.request.urlopen(link, timeout=30) as page:
        page.read()
    said = process.stop(how)
    assert process.returncode == 128 + how and "Traceback" not in said, said
    assert [path.name for path in keep.glob("studio.db*")] == ["studio.db"]
