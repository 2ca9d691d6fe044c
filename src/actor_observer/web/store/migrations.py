"""The tables of the studio's database, as numbered steps. A step that was released is never changed."""

from __future__ import annotations

__all__ = ["STEPS"]

STEPS: tuple[str, ...] = (
    # 1: people and how they come in
    """
    CREATE TABLE people (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, kind TEXT NOT NULL DEFAULT '',
        made REAL NOT NULL, gone REAL);
    CREATE TABLE tokens (hash TEXT PRIMARY KEY, person INTEGER NOT NULL, made REAL NOT NULL, expires REAL NOT NULL);
    CREATE TABLE sessions (hash TEXT PRIMARY KEY, person INTEGER NOT NULL, made REAL NOT NULL, expires REAL NOT NULL);
    """,
    # 2: marks, and every step taken with them, so that undo works after a reload
    """
    CREATE TABLE marks (
        id TEXT PRIMARY KEY, pair TEXT NOT NULL, person INTEGER NOT NULL, third REAL NOT NULL, first REAL NOT NULL,
        made REAL NOT NULL, changed REAL NOT NULL, gone INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX marks_of_pair ON marks (pair, gone);
    CREATE TABLE mark_steps (
        number INTEGER PRIMARY KEY AUTOINCREMENT, pair TEXT NOT NULL, person INTEGER NOT NULL, mark TEXT NOT NULL,
        before TEXT, after TEXT, state TEXT NOT NULL DEFAULT 'done');
    CREATE INDEX steps_of_pair ON mark_steps (pair, person, state, number);
    """,
    # 3: studies: a moment of one video is shown, people find it in the other
    """
    CREATE TABLE studies (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, find TEXT NOT NULL, seed INTEGER NOT NULL, made REAL NOT NULL);
    CREATE TABLE study_tasks (
        id INTEGER PRIMARY KEY, study INTEGER NOT NULL, pair TEXT NOT NULL, time REAL NOT NULL);
    CREATE INDEX tasks_of_study ON study_tasks (study);
    CREATE TABLE study_answers (
        task INTEGER NOT NULL, person INTEGER NOT NULL, time REAL, seconds REAL NOT NULL, automated INTEGER NOT NULL,
        made REAL NOT NULL, PRIMARY KEY (task, person));
    """,
    # 4: collecting: scripts, who was given which, consent, uploads, and the recordings they became
    """
    CREATE TABLE scripts (
        id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, classes TEXT NOT NULL, objects TEXT NOT NULL DEFAULT '');
    CREATE TABLE class_names (label TEXT PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE consents (
        id INTEGER PRIMARY KEY, person INTEGER NOT NULL, text TEXT NOT NULL, given REAL NOT NULL, withdrawn REAL);
    CREATE TABLE assignments (
        id INTEGER PRIMARY KEY, person INTEGER NOT NULL, script INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'open',
        made REAL NOT NULL, scene TEXT NOT NULL DEFAULT '', verdict TEXT NOT NULL DEFAULT '');
    CREATE TABLE uploads (
        id TEXT PRIMARY KEY, person INTEGER NOT NULL, assignment INTEGER NOT NULL, view TEXT NOT NULL,
        facts TEXT NOT NULL, size INTEGER, received INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL DEFAULT 'open',
        note TEXT NOT NULL DEFAULT '', made REAL NOT NULL, changed REAL NOT NULL);
    CREATE TABLE recordings (
        id TEXT PRIMARY KEY, upload TEXT NOT NULL UNIQUE, assignment INTEGER NOT NULL, person INTEGER NOT NULL,
        view TEXT NOT NULL, file TEXT NOT NULL, length REAL NOT NULL, bytes INTEGER NOT NULL, facts TEXT NOT NULL,
        checks TEXT NOT NULL DEFAULT '[]', made REAL NOT NULL);
    CREATE INDEX recordings_of_assignment ON recordings (assignment);
    """,
    # 5: marks with a label and a comment, and with an end where they are a stretch of time
    """
    ALTER TABLE marks ADD COLUMN label TEXT NOT NULL DEFAULT '';
    ALTER TABLE marks ADD COLUMN comment TEXT NOT NULL DEFAULT '';
    ALTER TABLE marks ADD COLUMN third_end REAL;
    ALTER TABLE marks ADD COLUMN first_end REAL;
    """,
    # 6: clocks that people set by hand
    """
    CREATE TABLE hand_clocks (
        pair TEXT NOT NULL, person INTEGER NOT NULL, clock TEXT NOT NULL, changed REAL NOT NULL,
        PRIMARY KEY (pair, person));
    """,
    # 7: a queue of pairs, whose turn each is, what was decided about them, tags, and views of the list
    """
    CREATE TABLE queue (pair TEXT PRIMARY KEY, wanted INTEGER NOT NULL, made REAL NOT NULL);
    CREATE TABLE queue_turns (
        pair TEXT NOT NULL, person INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '',
        chosen INTEGER NOT NULL DEFAULT 0, made REAL NOT NULL, changed REAL NOT NULL, PRIMARY KEY (pair, person));
    CREATE INDEX turns_of_person ON queue_turns (person, state);
    CREATE TABLE reviews (pair TEXT PRIMARY KEY, state TEXT NOT NULL, person INTEGER NOT NULL, changed REAL NOT NULL);
    CREATE TABLE tags (
        pair TEXT NOT NULL, tag TEXT NOT NULL, person INTEGER NOT NULL, made REAL NOT NULL, PRIMARY KEY (pair, tag));
    CREATE TABLE views (
        id INTEGER PRIMARY KEY, person INTEGER NOT NULL, name TEXT NOT NULL, query TEXT NOT NULL, made REAL NOT NULL);
    """,
    # 8: how many marks each pair has, without reading them
    """
    CREATE INDEX marks_at_pair ON marks (gone, pair, changed);
    """,
)
