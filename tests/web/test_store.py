"""The database: migrations, marks with undo, people and their links."""

import sqlite3
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from actor_observer.errors import UserError
from actor_observer.web.store.database import Database
from actor_observer.web.store.mark_clock import clock_of_marks
from actor_observer.web.store.marks import Mark, Marks, Said
from actor_observer.web.store.migrations import STEPS
from actor_observer.web.store.people import People


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path)


def test_an_old_database_is_brought_up_to_date_and_keeps_its_rows(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "studio.db")
    old.executescript(
        STEPS[0] + "; PRAGMA user_version=1; INSERT INTO people (name, role, made) VALUES ('x', 'look', 0)"
    )
    old.close()
    database = Database(tmp_path)
    assert [row["name"] for row in database.read("SELECT name FROM people")] == ["x"]
    assert database.one("PRAGMA user_version")["user_version"] == len(STEPS)  # type: ignore[index]
    assert database.one("PRAGMA journal_mode")["journal_mode"] == "wal"  # type: ignore[index]


def test_a_database_from_the_future_is_refused(tmp_path: Path) -> None:
    Database(tmp_path).close()
    newer = sqlite3.connect(tmp_path / "studio.db")
    newer.execute("PRAGMA user_version=999")
    newer.close()
    with pytest.raises(UserError, match="newer version"):
        Database(tmp_path)


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.write() as connection:
        connection.execute("INSERT INTO people (name, role, made) VALUES ('half', 'look', 0)")
        _ = 1 / 0
    assert not database.read("SELECT * FROM people")


def test_marks_are_undone_and_redone_step_by_step(database: Database) -> None:
    marks = Marks(database)
    marks.add("p", 1, "mark-one", Said(1.0, 2.0))
    marks.change("p", 1, "mark-one", third=1.5, first=2.5)
    marks.delete("p", 1, "mark-one")
    seen = [marks.of("p")]
    while marks.undo("p", 1):
        seen.append(marks.of("p"))
    assert [[(m.third, m.first) for m in some] for some in seen] == [[], [(1.5, 2.5)], [(1.0, 2.0)], []]
    assert marks.redo("p", 1) and marks.of("p") == [Mark("mark-one", 1, 1.0, 2.0)]
    marks.add("p", 1, "mark-two", Said(4.0, 5.0))
    assert not marks.redo("p", 1), "a new step drops what was undone"


def test_a_mark_sent_twice_is_one_mark(database: Database) -> None:
    marks = Marks(database)
    for _ in range(2):
        marks.add("p", 1, "mark-one", Said(1.0, 2.0))
    assert len(marks.of("p")) == 1
    assert marks.undo("p", 1) and not marks.undo("p", 1)


@pytest.mark.parametrize("end", [{"third_end": 5.0, "first_end": 2.0}, {"third_end": 1.0, "first_end": 9.0}])
def test_a_stretch_ends_after_it_begins_in_both_videos(database: Database, end: dict[str, float]) -> None:
    with pytest.raises(UserError, match="ends after it begins, in both videos"):
        Marks(database).add("p", 1, "mark-one", Said(1.0, 2.0, **end))


def test_nobody_changes_the_marks_of_others(database: Database) -> None:
    marks = Marks(database)
    marks.add("p", 1, "mark-one", Said(1.0, 2.0))
    with pytest.raises(UserError, match="somebody else"):
        marks.delete("p", 2, "mark-one")
    assert not marks.undo("p", 2)
    marks.delete("p", 1, "mark-one")
    with pytest.raises(UserError, match="deleted meanwhile"):
        marks.change("p", 1, "mark-one", third=3.0, first=4.0)


def test_marks_of_several_people_on_one_moment_count_as_their_mean() -> None:
    found = clock_of_marks([Mark("a", 1, 2.0, 3.0), Mark("b", 2, 2.2, 3.1), Mark("c", 1, 9.0, 9.9)])
    assert found and found.clock.anchors == ((2.1, 3.05), (9.0, 9.9)) and found.agreed


def test_the_owner_stays_the_same_person_under_another_name(database: Database) -> None:
    people = People(database)
    owner = people.owner("root")
    people.rename(owner, "ann", "person")
    assert people.owner("root").id == owner.id and people.owner("root").name == "ann"


def test_links_are_kept_as_hashes_expire_and_are_replaced(database: Database) -> None:
    people = People(database)
    ann = people.add("ann", "mark")
    old, token = people.link(ann.id), people.link(ann.id)
    assert all(token not in str(tuple(row)) for row in database.read("SELECT * FROM tokens"))
    with pytest.raises(UserError, match="not known"):
        people.enter(old)
    session = people.enter(token)
    assert people.of_session(session) == ann
    with database.write() as connection:
        connection.execute("UPDATE tokens SET expires = ?", (time.time() - 1,))
        connection.execute("UPDATE sessions SET expires = ?", (time.time() - 1,))
    with pytest.raises(UserError, match="expired"):
        people.enter(token)
    people._forget()
    assert people.of_session(session) is None


def test_one_person_has_so_many_marks_in_a_pair_and_no_more(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actor_observer.web.store.marks.MOST", 2)
    marks = Marks(database)
    for number in range(2):
        marks.add("p", 1, f"mark-{number}-of-1", Said(number, number))
    with pytest.raises(UserError, match="has 2 marks of yours already"):
        marks.add("p", 1, "mark-3-of-1", Said(3.0, 3.0))
    marks.add("p", 2, "mark-1-of-2", Said(1.0, 1.0))  # others, and other pairs, have their own
    marks.add("q", 1, "mark-1-of-q", Said(1.0, 1.0))
    marks.delete("p", 1, "mark-0-of-1")
    marks.add("p", 1, "mark-3-of-1", Said(3.0, 3.0))


def test_both_ends_of_a_stretch_are_shared_moments() -> None:
    found = clock_of_marks([Mark("a", 1, 2.0, 3.0, third_end=10.0, first_end=12.0), Mark("b", 2, 10.0, 11.9)])
    assert found and found.clock and found.clock.anchors == ((2.0, 3.0), (10.0, 11.95))
    wrong = clock_of_marks([Mark("a", 1, 2.0, 3.0, third_end=10.0, first_end=12.0), Mark("b", 2, 11.0, 5.0)])
    assert wrong and set(wrong.disputed) == {"a", "b"}


def test_marks_that_contradict_each_other_are_all_named() -> None:
    """Seen: of two marks at 12 s the implausible one was kept, and the other reddened."""
    marks = [Mark("a", 1, 3.0, 3.49), Mark("b", 1, 12.0, 11.49), Mark("c", 2, 12.0, 6.49)]
    found = clock_of_marks(marks)
    assert found and found.clock and found.clock.anchors == ((3.0, 3.49),)
    assert set(found.disputed) == set(found.left_out) == {"b", "c"} and not found.agreed
    only = clock_of_marks(marks[1:])
    assert only and only.clock is None


def test_the_clock_of_thousands_of_marks_is_found_at_once() -> None:
    rng = np.random.default_rng(0)
    times = np.sort(rng.uniform(0, 4000, 4000))
    marks = [Mark(f"m{n}", n % 20, t, t + 2 + rng.normal(0, 5)) for n, t in enumerate(times.tolist())]
    began = time.perf_counter()
    found = clock_of_marks(marks)
    assert time.perf_counter() - began < 1.0
    assert found and len(found.disputed) > 1000


def test_a_clean_stop_leaves_all_in_one_file_and_deleted_rows_nowhere(tmp_path: Path) -> None:
    database = Database(tmp_path)
    people = People(database)
    people.add("a name to forget", "look")
    readers = [threading.Thread(target=people.all) for _ in range(3)]
    for reader in readers:
        reader.start()
        reader.join()
    with database.write() as connection:
        connection.execute("DELETE FROM people")
    database.scrub()
    assert not [path for path in tmp_path.iterdir() if b"a name to forget" in path.read_bytes()]
    people.add("kept", "look")
    database.close()
    assert [path.name for path in tmp_path.iterdir()] == ["studio.db"]
    assert b"kept" in (tmp_path / "studio.db").read_bytes()


def test_marks_of_the_version_before_are_kept_and_can_be_undone(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "studio.db")
    old.executescript(";".join(STEPS[:4]) + "; PRAGMA user_version=4;")
    old.execute("INSERT INTO marks VALUES ('old-mark', 'p', 1, 3.0, 4.0, 10, 20, 0)")
    steps = [("old-mark", None, "[1.0, 2.0]"), ("old-mark", "[1.0, 2.0]", "[3.0, 4.0]")]
    old.executemany("INSERT INTO mark_steps (pair, person, mark, before, after) VALUES ('p', 1, ?, ?, ?)", steps)
    old.commit()
    old.close()
    marks = Marks(Database(tmp_path))
    assert marks.of("p") == [Mark("old-mark", 1, 3.0, 4.0)] and marks.of("p")[0].changed == 20
    marks.change("p", 1, "old-mark", label="named", third_end=5.0, first_end=6.0)
    assert marks.undo("p", 1) and marks.of("p") == [Mark("old-mark", 1, 3.0, 4.0)]
    assert marks.undo("p", 1) and marks.of("p") == [Mark("old-mark", 1, 1.0, 2.0)]
    assert marks.undo("p", 1) and not marks.of("p")
