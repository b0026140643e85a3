"""``dragoman serve`` without serving: its keys, and what it refuses before it listens."""

from __future__ import annotations

import socket
import stat

import pytest
from tests.serve import support

from dragoman.project import load
from dragoman.serve import keys


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "dragoman.toml"
    path.write_text(support.PROJECT + support.TENANTS, "utf-8")
    return path


def test_a_new_key_is_printed_once_and_its_table_opens_with_it(dragoman, project):
    ran = dragoman("serve", "key", "new", "--project", project, "--name", 'the "site"', "--json")
    assert ran.code == 0
    text, table = ran.json["key"], ran.json["table"]
    assert text not in ran.err
    plain = dragoman("serve", "key", "new", "--project", project)
    assert plain.out.startswith("dgm_")
    assert plain.out.count("\n") == 1
    project.write_text(project.read_text("utf-8") + plain.err.partition("\n\n")[2], "utf-8")
    assert keys.ring(load(project)).find(plain.out.strip()) is not None
    assert keys.ring(load(project)).find(text) is None
    assert table["name"] == 'the "site"'


def test_a_new_key_goes_into_the_key_file(dragoman, project):
    project.write_text(project.read_text("utf-8") + '[serve]\nkey_file = "secret/keys.toml"\n', "utf-8")
    made = [
        dragoman("serve", "key", "new", "--project", project, *more).out.strip()
        for more in (("--name", 'a "b" \\ c\nd'), ("--tenant", "north", "--tenant", "south"), ("--admin",))
    ]
    file = project.parent / "secret/keys.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    found = [keys.ring(load(project)).find(text) for text in made]
    assert [(k.name, k.tenants, k.admin) for k in found if k] == [
        ('a "b" \\ c\nd', (), False),
        ("", ("north", "south"), False),
        ("", (), True),
    ]
    assert all(text not in file.read_text("utf-8") for text in made)


def test_what_is_refused(dragoman, project):
    ran = dragoman("serve", "key", "new", "--project", project, "--tenant", "nobody")
    assert ran.code == 2
    assert "north, south" in ran.err
    ran = dragoman("serve", "key", "new", "--project", project, "--tenant", "north", "--admin")
    assert ran.code == 2
    assert "all tenants" in ran.err
    for arguments in (("--host", "0.0.0.0"), ("--host", "192.0.2.1", "--workers", "2")):
        ran = dragoman("serve", "--project", project, *arguments)
        assert ran.code == 2
        assert "no key is asked for" in ran.err
    assert dragoman("serve", "--port", "70000").code == 2
    assert dragoman("serve", "--project", project.parent / "missing.toml").code == 2


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_that_is_taken_is_refused(dragoman, project, host):
    """Whoever holds it may share it, as another service of ours does; questions would go now here, now there."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind(("127.0.0.1", 0))
        held.listen()
        port = held.getsockname()[1]
        ran = dragoman("serve", "--project", project, "--host", host, "--port", port)
    assert ran.code == 2
    assert f"{host}:{port}" in ran.err
    assert "in use" in ran.err


def test_without_the_extra_it_says_what_to_install(dragoman, project, monkeypatch):
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "granian" else real(name, *a))
    ran = dragoman("serve", "--project", project)
    assert ran.code == 2
    assert "dragoman[serve]" in ran.err
