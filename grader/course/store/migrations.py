"""A database of any age in, one with the present tables out. `user_version` counts the steps that were taken.

Steps are only ever added, never changed: a folder that an earlier version graded into opens with everything in it.
"""

from __future__ import annotations

import sqlite3

STEPS = (
    """
    create table fact (name text primary key, value text not null);
    create table learner (
        id text primary key, name text not null default '', email text not null default '',
        page text not null default '', standing text not null default ''
    );
    create table attempt (
        id integer primary key, name text not null unique, learner text not null, submitted_at text not null default '',
        came_from text not null default '', fault text not null default '', problem text not null default ''
    );
    create index attempt_of on attempt (learner);
    create table piece (
        attempt integer not null references attempt (id) on delete cascade, slug text not null, kind text not null,
        key text not null, parts text not null, given text not null, verdict text not null,
        score real not null, max_score real not null, seconds real not null, fault text not null default '',
        result text not null, primary key (attempt, slug)
    );
    create table staged as select * from piece limit 0;
    create unique index staged_one on staged (attempt, slug);
    create table trial (key text primary key, tries integer not null);
    create table mark (
        learner text not null, slug text not null, question text not null, answer text not null,
        points real not null, max_points real not null, note text not null default '',
        primary key (learner, slug, question, answer)
    );
    """,
)


def migrate(connection: sqlite3.Connection) -> None:
    """Take the steps that are missing, all or none; raise `sqlite3.DatabaseError` for a database of a later version."""
    connection.execute("begin immediate")
    try:
        (version,) = connection.execute("pragma user_version").fetchone()
        if version > len(STEPS):
            raise sqlite3.DatabaseError(f"made by a later version: {version} > {len(STEPS)}")
        for number, step in enumerate(STEPS[version:], version + 1):
            for statement in filter(str.strip, step.split(";")):
                connection.execute(statement)
            connection.execute(f"pragma user_version={number}")
        connection.execute("commit")
    except BaseException:
        connection.execute("rollback")
        raise
