"""Who may do what, from where: the guard, roles, ranges, and errors as one sentence."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from actor_observer.disk.sealed_json import sealed_json
from actor_observer.pairs import Clock, Manifest, Pair, Take, read_manifest
from actor_observer.web.cards import Cards, Known, Query
from actor_observer.web.door.guard import HEADERS, RateLimit
from served import Client, Served


def test_only_this_machine_is_listened_to_and_only_by_its_names(served: Served) -> None:
    client = served.client()
    assert client.call("GET", "/api/me")[0] == 200
    status, said = client.call("GET", "/api/me", host="evil.example")
    assert (status, said["error"]) == (403, "This page does not answer to that name.")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_other_sites_cannot_write(served: Served, origin: str) -> None:
    client = served.client()
    mark = {"pair": "cup", "id": "from-elsewhere", "third": 1, "first": 1}
    assert client.call("POST", "/api/marks", mark, origin=origin)[0] == 403
    assert client.call("POST", "/api/marks", mark, origin="")[0] == 403, "without an origin it must say same-origin"
    assert not [one for one in client.good("GET", "/api/marks?pair=cup")["marks"] if one["id"] == "from-elsewhere"]


def test_every_answer_has_a_strict_policy(served: Served) -> None:
    for path in ("/", "/static/style.css", "/api/me", "/no-such-page", "/enter/wrong"):
        headers = served.client().raw("GET", path)[2]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers.keys() >= HEADERS.keys()


def test_without_a_session_nothing_is_told(served: Served) -> None:
    stranger = Client(served.port)
    for path in ("/api/me", "/api/pairs", "/media/video?take=cup.third", "/api/people", "/runs/0/report"):
        status, said = stranger.call("GET", path)
        assert status == 401 and "open your link again" in said["error"]


def test_an_expired_link_is_one_sentence(served: Served) -> None:
    link = served.link("look", "late")
    with served.studio.database.write() as connection:
        connection.execute("UPDATE tokens SET expires = 1 WHERE person = (SELECT max(id) FROM people)")
    status, page, _ = Client(served.port).raw("GET", "/" + link.split("/", 3)[3])
    assert status == 403 and b"This link has expired: ask the studio&#x27;s owner for a new one." in page


RIGHTS = {  # role -> (may list pairs, may mark, may record, may see people)
    "look": (200, 403, 403, 403),
    "mark": (200, 200, 403, 403),
    "collect": (403, 403, 200, 403),
    "owner": (200, 200, 200, 200),
}


@pytest.mark.parametrize("role", RIGHTS)
def test_rights_by_role(served: Served, role: str) -> None:
    client = served.client(role, f"{role}-person")
    mark = {"pair": "cup", "id": f"mark-of-{role}", "third": 1.0, "first": 2.5}
    got = (
        client.call("GET", "/api/pairs")[0],
        client.call("POST", "/api/marks", mark)[0],
        client.call("GET", "/api/collect")[0],
        client.call("GET", "/api/people")[0],
    )
    assert got == RIGHTS[role]


def test_videos_are_served_in_ranges(served: Served, pairs: Path) -> None:
    whole = (pairs / "cup-room.mp4").read_bytes()
    status, content, headers = served.client().raw("GET", "/media/video?take=cup.third", range="bytes=100-299")
    assert status == 206 and content == whole[100:300]
    assert headers["content-range"] == f"bytes 100-299/{len(whole)}" and headers["content-type"] == "video/mp4"


@pytest.mark.parametrize("take", ["../pairs.csv", "/etc/passwd", "cup-room.mp4", ""])
def test_only_takes_of_the_manifest_can_be_reached(served: Served, take: str) -> None:
    status, said = served.client().call("GET", f"/media/video?take={take}")
    assert status == 409 and said["error"] == "There is no such video in this data set."


def test_bad_calls_are_one_sentence(served: Served) -> None:
    client = served.client()
    assert client.call("GET", "/api/pairs?start=soon") == (409, {"error": "start should be a number."})
    status, said = client.call("POST", "/api/marks", {"pair": "cup", "id": "a-good-id", "third": "x", "first": 1})
    assert status == 422 and said["error"].startswith("third: ")
    assert client.call("POST", "/api/marks", {"pair": "no", "id": "a-good-id", "third": 1, "first": 1})[0] == 409


TOO_LARGE = 1 << 70
ODD = [
    ("POST", "/api/answers", {"task": TOO_LARGE, "time": 1.0}),
    ("POST", "/api/studies", {"name": "s", "find": "third", "pairs": 1, "moments": 1, "seed": TOO_LARGE}),
    ("POST", "/api/uploads", {"assignment": TOO_LARGE, "view": "third"}),
    ("GET", f"/api/studies/{TOO_LARGE}/next", None),
    ("DELETE", f"/api/people/{TOO_LARGE}", None),
    ("POST", "/api/people", {"name": "half \ud800", "role": "look"}),
    ("PUT", "/api/me", {"name": "half \ud800", "kind": ""}),
    ("POST", "/api/studies", {"name": "\udfff", "find": "third", "pairs": 1, "moments": 1}),
    ("POST", "/api/marks/undo", {"pair": "\ud800"}),
    ("POST", "/api/search", {"take": "\ud800", "time": 1.0}),
]


@pytest.mark.parametrize(("method", "path", "body"), ODD)
def test_numbers_and_characters_that_cannot_be_kept_are_one_sentence(
    served: Served, method: str, path: str, body: object
) -> None:
    status, said = served.client().call(method, path, body)
    assert status in (409, 422) and said["error"] and "\n" not in said["error"]


def test_a_file_of_another_shape_among_what_models_saw_breaks_nothing(served: Served) -> None:
    client, studio = served.client(), served.studio
    place = studio._seen.path(*studio._keys(studio.pair("book")), None)
    place.parent.mkdir(parents=True, exist_ok=True)
    other = [sealed_json(told) for told in ({"align": {"clock": "x"}}, {"align": []}, {"align": {"verdict": 1}})]
    for content in (b"[]", b"{}", b"[" * 5000, *other):
        place.write_bytes(content)
        studio._verdicts = None
        assert client.call("GET", "/api/pairs")[0] == 200
        assert "align" not in client.good("GET", "/api/pair?id=book")["clocks"]
        assert client.good("GET", "/api/seen?id=book") == {"state": "none"}
    place.unlink()


def test_too_many_calls_wait() -> None:
    limit = RateLimit(10, 20)
    assert sum(limit.allows("x", at=0.0) for _ in range(100)) == 20 and limit.allows("x", at=0.2)


def test_marks_become_the_clock_that_every_command_reads(served: Served) -> None:
    client = served.client("mark", "marker")
    for number, (third, first) in enumerate(((1.0, 2.0), (6.0, 8.5))):
        client.good("POST", "/api/marks", {"pair": "book", "id": f"book-mark-{number}", "third": third, "first": first})
    client.raw("GET", "/api/export/pairs.csv")
    manifest = read_manifest(served.studio.keep / "pairs.csv")
    clocks = {pair.id: pair.clock for pair in manifest.pairs}
    assert clocks["book"] == Clock(((1.0, 2.0), (6.0, 8.5)))
    assert clocks["door"] == Clock.parse("0:0.5;4:3;8:9")
    assert not [fault for fault in manifest.faults if fault.left_out]


def test_ten_thousand_pairs_are_filtered_at_once() -> None:
    takes = {}
    for number in range(10_000):
        for view, id in (("third", f"{number:05d}"), ("first", f"{number:05d}EGO")):
            script = f"A person is doing thing {number % 97}, then smiling"
            takes[id] = Take(id, view, Path(f"{id}.mp4"), 30.0, subject=f"S{number % 80}", script=script)  # type: ignore[arg-type]
    listed = [Pair(f"{n:05d}", f"{n:05d}", f"{n:05d}EGO", Clock.scaled(30, 30)) for n in range(10_000)]
    cards = Cards(Manifest(takes, tuple(listed)))
    began = time.thread_time()
    found = cards.find(Query(words="thing 42", sort="subject"), Known())
    took = time.thread_time() - began  # a busy machine is not our doing
    assert found["total"] == len([n for n in range(10_000) if "42" in f"thing {n % 97} {n:05d} S{n % 80}".lower()])
    assert took < 0.3  # 0.03 on a quiet machine


def test_many_searches_of_one_person_keep_nobody_else_waiting(
    served: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    go = threading.Event()

    def never(*_: object, **__: object) -> dict[str, object]:
        go.wait(60)
        return {"hits": [], "verdict": ""}

    monkeypatch.setattr(served.studio.finder, "call", never)
    monkeypatch.setattr("actor_observer.web.rooms.search.index_folder", lambda studio: tmp_path)
    greedy, other = served.client("look", "greedy"), served.client("look", "patient")
    answers: list[int] = []
    asked = {"take": "cup.third", "time": 1.0}
    calls = [
        threading.Thread(target=lambda: answers.append(greedy.call("POST", "/api/search", asked)[0])) for _ in range(60)
    ]
    for call in calls:
        call.start()
    while len(answers) < 58:
        time.sleep(0.01)
    assert other.call("GET", "/api/pairs")[0] == 200 and greedy.call("GET", "/api/pairs")[0] == 200
    go.set()
    for call in calls:
        call.join()
    assert sorted(answers) == [200] * 2 + [429] * 58


def test_a_new_link_ends_the_sessions_of_the_leaked_one(served: Served) -> None:
    owner, thief = served.client("owner", "boss"), served.client("owner", "boss")
    mine = owner.good("GET", "/api/me")["id"]
    link = owner.good("POST", f"/api/people/{mine}/link")["link"]
    assert thief.call("GET", "/api/me")[0] == 401
    assert owner.call("GET", "/api/me")[0] == 200, "who asks stays in"
    assert Client(served.port).enter(link).call("GET", "/api/me")[0] == 200


def test_wrong_links_do_not_lock_the_right_one_out(served: Served) -> None:
    link = served.link("look", "late-comer")
    stranger = Client(served.port)
    codes = [stranger.raw("GET", "/enter/wrong", x_forwarded_for=f"10.0.0.{n}")[0] for n in range(40)]
    assert codes[0] == 403 and codes[-1] == 429, "also by another name"
    assert Client(served.port).enter(link).call("GET", "/api/me")[0] == 200
