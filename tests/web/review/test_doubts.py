"""What other commands were not sure of comes to people, and what they decide goes into the exported table."""

from __future__ import annotations

import json
from pathlib import Path

from actor_observer.pairs.read import read_manifest
from served import serving
from tiny import write_video


def test_doubtful_partners_and_findings_are_decided_by_people_and_exported(tmp_path: Path) -> None:
    for name in ("room", "head", "door", "hat"):
        write_video(tmp_path / f"{name}.mp4", 24, 6)
    (tmp_path / "pairs.csv").write_text("id,third,first\na,room.mp4,head.mp4\nb,door.mp4,\nc,,hat.mp4\n")
    row = {"third": "door.mp4", "first": "hat.mp4", "clock": "0:0.5;3:3.5"}
    other = {"third": "nowhere.mp4", "first": "hat.mp4", "clock": "0:1"}
    (tmp_path / "pairing.json").write_text(json.dumps({"doubtful": [row, other, {"third": 1}, 7]}))
    findings = [
        {"take": "a", "kind": "late", "severity": "wrong", "text": "third is 0.133 s late"},
        {"take": "a", "kind": "blurred", "severity": "note", "text": "not sharp"},
    ]
    (tmp_path / "audit.json").write_text(json.dumps({"findings": findings}))
    with serving(tmp_path / "studio", tmp_path) as served:
        owner = served.client()
        [doubtful] = owner.good("GET", "/api/pairs?tag=doubtful")["cards"]
        [found] = owner.good("GET", "/api/pairs?tag=audit")["cards"]
        assert (found["id"], found["faults"]) == ("a", ["audit: third is 0.133 s late"])
        assert {"doubtful", "audit"} <= set(owner.good("GET", "/api/choices")["tags"])

        def exported() -> str:
            return owner.raw("GET", "/api/export/pairs.csv")[1].decode()

        assert doubtful["id"] not in exported(), "nobody has confirmed it"
        owner.good("POST", "/api/queue", {"wanted": 1, "pairs": [doubtful["id"], "a"]})
        assert owner.good("POST", "/api/queue/next")["pair"] == doubtful["id"]
        owner.good("POST", "/api/review", {"pairs": [doubtful["id"]], "state": "accepted"})
        owner.good("POST", "/api/review", {"pairs": ["a"], "state": "left out"})
        line = next(line for line in exported().splitlines() if line.startswith(doubtful["id"]))
        assert "0.0:0.5;3.0:3.5" in line and ",accepted" in line
        assert "room.mp4" not in exported(), "what is left out is gone from the table"
        (tmp_path / "taken-away.csv").write_text(exported())
        manifest = read_manifest(tmp_path / "taken-away.csv")
        assert [pair.id for pair in manifest.pairs] == [doubtful["id"]] and not manifest.faults
    (tmp_path / "pairing.json").write_text("[1, 2")
    (tmp_path / "audit.json").write_bytes(b"\xff\xff")
    with serving(tmp_path / "studio", tmp_path) as served:
        assert served.client().good("GET", "/api/pairs")["all"] == 1, "damaged files say nothing"
