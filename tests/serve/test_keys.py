from __future__ import annotations

import base64
import hmac
import stat

import pytest
from tests.serve import support

from dragoman.errors import ConfigError
from dragoman.project import load
from dragoman.serve import keys, run


def test_a_key_is_found_and_only_its_digest_is_kept():
    made, other = keys.make("site"), keys.make()
    ring = keys.KeyRing([made.table, other.table])
    assert ring.find(made.text) == made.table
    assert ring.find(other.text) == other.table
    assert made.text not in repr(made.table)
    assert made.text.split("_", 2)[2] not in keys.toml(made.table)


@pytest.mark.parametrize(
    "change", [lambda k: k[:-1], lambda k: k + "x", lambda k: "dgm_00000000_" + k[13:], lambda k: ""]
)
def test_what_is_no_key_opens_nothing(change):
    made = keys.make()
    assert keys.KeyRing([made.table]).find(change(made.text)) is None


@pytest.mark.parametrize("text", ["", "x", "dgm", "dgm_", "dgm__", "é", "\udcff", "dgm_" + "a" * 10_000])
def test_rubbish_is_no_key(text):
    assert keys.KeyRing([keys.make().table]).find(text) is None


def test_every_try_is_compared_in_constant_time_and_whether_or_not_there_is_such_an_id(monkeypatch):
    """The same comparison is made for a known and for an unknown id, on digests of one length."""
    compared = []
    real = hmac.compare_digest

    def compare(a: str, b: str) -> bool:
        compared.append((len(a), len(b)))
        return real(a, b)

    monkeypatch.setattr("dragoman.serve.keys.hmac.compare_digest", compare)
    made = keys.make()
    ring = keys.KeyRing([made.table])
    for text in (made.text, made.text[:-1] + "?", "dgm_00000000_x", "nothing"):
        ring.find(text)
    assert compared == [(71, 71)] * 4


@pytest.mark.parametrize(
    ("authorization", "api_key", "expected"),
    [
        ("Bearer k", "", ("k", False)),
        ("bearer  k ", "", ("k", False)),
        ("", "k", ("k", False)),
        ("Bearer other", "k", ("k", False)),
        ("Basic " + base64.b64encode(b"anybody:k:with:colons").decode(), "", ("k:with:colons", True)),
        ("Basic %%%", "", ("", True)),
        ("Digest k", "", ("", False)),
        ("", "", ("", False)),
    ],
)
def test_where_a_key_may_stand(authorization, api_key, expected):
    assert keys.presented(authorization, api_key) == expected


def test_a_key_file_is_read_with_the_project(tmp_path):
    made = keys.make("site", admin=True)
    support.project(tmp_path, '[serve]\nkey_file = "keys.toml"\n')
    file = tmp_path / "keys.toml"
    keys.append(file, made.table)
    keys.append(file, keys.make().table)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert keys.ring(load(tmp_path)).find(made.text) == made.table
    file.chmod(0o622)
    with pytest.raises(ConfigError, match="others may write"):
        keys.ring(load(tmp_path))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[key]]\nid = 3\n", "no key file"),
        ('[[key]]\nid = "0a0a0a0a"\nhash = "plain"\n', "no key file"),
        ("= =", "no key file"),
        ('[[keys]]\nid = "x"\n', "no key file"),
    ],
)
def test_a_wrong_key_file_is_an_error(tmp_path, text, says):
    file = tmp_path / "keys.toml"
    file.write_text(text, "utf-8")
    file.chmod(0o600)
    with pytest.raises(ConfigError, match=says):
        keys.read(file)


def test_two_keys_of_one_id_and_keys_for_nobody_are_errors(tmp_path):
    table = keys.toml(keys.make().table)
    support.project(tmp_path, table + table)
    with pytest.raises(ConfigError, match="two keys"):
        keys.ring(load(tmp_path))
    (tmp_path / "dragoman.toml").write_text(support.PROJECT + keys.toml(keys.make(tenants=("nobody",)).table), "utf-8")
    with pytest.raises(ConfigError, match="nobody"):
        keys.ring(load(tmp_path))


@pytest.mark.parametrize(
    ("host", "fine"),
    [("127.0.0.1", True), ("127.0.0.9", True), ("::1", True), ("localhost", True)]
    + [(host, False) for host in ("0.0.0.0", "::", "10.0.0.3", "example.org", "")],
)
def test_beyond_this_machine_it_listens_only_with_a_key(tmp_path, host, fine):
    (tmp_path / "dragoman.toml").write_text(support.PROJECT, "utf-8")
    project = load(tmp_path)
    if fine:
        run.check(project, host, insecure=False)
    else:
        with pytest.raises(ConfigError, match="no key is asked for"):
            run.check(project, host, insecure=False)
    run.check(project, host, insecure=True)
    (tmp_path / "dragoman.toml").write_text(support.PROJECT + support.key()[1], "utf-8")
    run.check(load(tmp_path), host, insecure=False)


def test_where_it_listens():
    assert run.address("127.0.0.1", 0) == "127.0.0.1"
    assert run.address("localhost", 0) == "127.0.0.1"  # the server takes addresses alone
    with pytest.raises(ConfigError, match=r"a\.\.b:8080"):
        run.address("a..b", 8080)
