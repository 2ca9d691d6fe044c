"""Sharing, backing up, and trouble with the disk: the command as people start it, and what it leaves behind."""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from actor_observer.cli import main
from actor_observer.web.serving.server import open_in_browser
from actor_observer.web.serving.tls import self_signed
from served import Client, Served, serving


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_share_serves_https_with_a_certificate_of_its_own_and_lets_go_of_its_folder(tmp_path: Path) -> None:
    port, keep = free_port(), tmp_path / "studio"
    command = [sys.executable, "-c", "from actor_observer.cli import main; main()", "studio", "--share"]
    command += ["--host", "127.0.0.1", "--keep", str(keep), "--port", str(port), "--no-open"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        link = re.search(r"https://127.0.0.1:\d+(/enter/\S+)", process.stdout.readline())
        assert link, "an https link is printed"
        trusted = ssl.create_default_context(cafile=str(keep / "certificate.pem"))
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=300, context=trusted)
        for _ in range(200):
            try:
                connection.request("GET", link[1])
                break
            except ConnectionRefusedError:
                connection.close()
        answer = connection.getresponse()
        cookie = answer.getheader("set-cookie") or ""
        assert answer.status == 303 and "Secure" in cookie and "HttpOnly" in cookie
        assert "Max-Age" in cookie and "expires" not in cookie.lower(), "a phone's clock may be off by hours"
        assert (keep / "key.pem").stat().st_mode & 0o077 == 0
    finally:
        process.kill()
        process.wait()
    with serving(keep) as again:  # a studio that was killed lets the next one have the folder
        assert again.client().good("GET", "/api/me")["role"] == "owner"


def test_the_certificate_is_kept_and_made_anew_for_new_names(tmp_path: Path) -> None:
    first = self_signed(tmp_path, ("127.0.0.1",))[0].read_bytes()
    assert self_signed(tmp_path, ("127.0.0.1",))[0].read_bytes() == first
    assert self_signed(tmp_path, ("127.0.0.1", "room.local"))[0].read_bytes() != first


def test_an_owner_gives_and_takes_links(served: Served) -> None:
    owner = served.client()
    made = owner.good("POST", "/api/people", {"name": "<b>bob</b>", "role": "look"})
    assert made["qr"].startswith("<svg") and "/enter/" in made["link"]
    bob = Client(served.port).enter(made["link"])
    assert bob.good("GET", "/api/me")["name"] == "<b>bob</b>"
    owner.good("DELETE", f"/api/people/{made['id']}")
    assert bob.call("GET", "/api/me")[0] == 401


def test_a_list_of_a_thousand_names_becomes_links_and_those_of_one_name_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path / "studio") as served:
        owner = served.client()
        monkeypatch.setattr("actor_observer.web.rooms.doors._link", lambda studio, token: {"link": f"/enter/{token}"})
        names = ["Ann", "  ann ", "Bob, Jr.", *(f"helper {n}" for n in range(997))]
        made = owner.good("POST", "/api/people/many", {"names": names, "role": "mark"})
        assert [one["name"] for one in made[:4]] == ["Ann (2)", "ann (3)", "Bob, Jr.", "helper 0"]
        assert len({one["name"].lower() for one in made}) == len({one["link"] for one in made}) == 1000
        client = Client(served.port).enter(f"http://x/{made[-1]['link'][1:]}")
        assert client.good("GET", "/api/me")["name"] == "helper 996" and not client.good("GET", "/api/me")["shared"]
        assert client.good("PUT", "/api/me", {"name": "Ann", "kind": ""})["name"] == "Ann (4)"
        before = len(owner.good("GET", "/api/people"))
        for wrong in (["x"] * 1001, ["fine", " "], []):
            status, said = owner.call("POST", "/api/people/many", {"names": wrong, "role": "mark"})
            assert status == 409 and "1 to 1000 names" in said["error"]
        assert len(owner.good("GET", "/api/people")) == before, "all or none"


def test_a_backup_holds_everything_and_opens_as_a_studio(
    tmp_path: Path, pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(tmp_path / "studio", pairs) as served:
        mark = {"pair": "cup", "id": "backed-up", "third": 1.0, "first": 2.0}
        served.client().good("POST", "/api/marks", mark)
        place = tmp_path / "all.zip"
        main(["studio", str(pairs), "--keep", str(tmp_path / "studio"), "--backup", str(place)])
        assert "all.zip" in capsys.readouterr().out
    with zipfile.ZipFile(place) as bundle:
        assert json.loads(bundle.read("tables/marks.json"))[0]["id"] == "backed-up"
        bundle.extractall(tmp_path / "again")
    with serving(tmp_path / "again", pairs) as served:
        assert [mark.id for mark in served.studio.marks.of("cup")] == ["backed-up"]
        served.client().good("DELETE", "/api/marks?pair=cup&id=backed-up")
    main(["studio", str(pairs), "--keep", str(tmp_path / "again"), "--backup", str(place)])
    with zipfile.ZipFile(place) as bundle:
        names = bundle.namelist()
        assert len(names) == len(set(names)), "the tables that lay in the first backup are not packed again"
        assert json.loads(bundle.read("tables/marks.json"))[0]["gone"] == 1


def test_a_full_disk_loses_nothing_and_says_so(tmp_path: Path, pairs: Path) -> None:
    with serving(tmp_path / "studio", pairs) as served:
        client = served.client()
        writer = served.studio.database._writer
        writer.execute(f"PRAGMA max_page_count={writer.execute('PRAGMA page_count').fetchone()[0]}")
        kept, said = [], ""
        for number in range(2000):
            mark = {"pair": "cup", "id": f"full-disk-{number}", "third": 1.0 + number / 1000, "first": 2.0}
            status, answer = client.call("POST", "/api/marks", mark)
            if status != 200:
                said = answer["error"]
                break
            kept.append(mark["id"])
        assert status == 507 and said.startswith("The disk is full, so this was not saved")
        assert {mark.id for mark in served.studio.marks.of("cup")} == set(kept)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["no-such-folder"], "no-such-folder: no such file or folder"),
        (["--port", "99999"], "--port 99999"),
        (["--scripts", "no-such.csv"], "no-such.csv: no such file"),
        (["--share", "--certificate", "x.pem"], "give both --certificate and --key"),
        (["--backup", "b.zip", "--keep", "no-such-studio"], "no-such-studio: no studio there"),
    ],
)
def test_mistakes_are_one_line(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["studio", *words, "--no-open"])
    assert stop.value.code == 2 and line in capsys.readouterr().err


def test_a_busy_port_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SystemExit):
            main(["studio", "--keep", str(tmp_path), "--no-open", "--port", str(taken.getsockname()[1])])
    assert "choose another one with --port" in capsys.readouterr().err


def test_the_owners_token_is_on_no_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    link = "http://127.0.0.1:1/enter/secret"
    with open_in_browser(tmp_path, link):
        page = tmp_path / "open.html"
        assert page.stat().st_mode & 0o077 == 0 and f"url={link}" in page.read_text()
        while not opened:
            time.sleep(0.01)
    assert opened == [page.as_uri()] and not page.exists()
