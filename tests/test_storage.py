"""Folders wherever fsspec reaches: files appear whole, errors say where, and an object store is one like any other."""

from __future__ import annotations

import base64
import contextlib
import importlib.metadata
import os
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dragoman import Dragoman, storage
from dragoman.errors import ConfigError, DataError, StoreUnavailable
from dragoman.index import remote, store
from dragoman.storage import Entry, Storage

fsspec = pytest.importorskip("fsspec", reason="object stores need the extra batch")


@pytest.fixture(params=["path", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    if request.param == "path":
        yield Storage(str(tmp_path / "folder"))
        return
    yield Storage("memory://folder")
    memory = fsspec.filesystem("memory")
    if memory.exists("/folder"):
        memory.rm("/folder", recursive=True)


def test_what_is_written_can_be_read_listed_and_removed(folder: Storage) -> None:
    assert folder.files() == []
    assert folder.read("a/b") is None
    assert not folder.is_file("a/b")
    folder.write("a/b", b"one")
    folder.write("c", b"three")
    assert folder.read("a/b") == b"one"
    assert [(e.name, e.bytes) for e in folder.files()] == [("a/b", 3), ("c", 5)]
    with folder.open("c") as file:
        assert file.read() == b"three"
    folder.remove("a")
    folder.remove("a")
    assert [e.name for e in folder.files()] == ["c"]


def test_a_file_appears_whole_or_not_at_all(folder: Storage) -> None:
    folder.write("a", b"old")

    def fail() -> None:
        with folder.writing("a") as beside:
            beside.write_bytes(b"half of the n")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert folder.read("a") == b"old"
    assert [e.name for e in folder.files()] == ["a"]


def test_another_content_is_another_version(folder: Storage) -> None:
    def version() -> str:
        (entry,) = folder.files()
        assert isinstance(entry, Entry)
        return entry.version

    folder.write("a", b"one")
    first = version()
    assert version() == first
    folder.write("a", b"two!")
    assert version() != first


def test_only_the_owner_reads_and_what_killed_writers_left_goes(tmp_path: Path) -> None:
    folder = Storage(str(tmp_path))
    folder.write("a/b", b"one")
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o600
    (tmp_path / "a" / ".dragoman-x").write_bytes(b"half")
    folder.sweep()
    assert [e.name for e in folder.files()] == ["a/b"]


def test_a_file_system_that_is_not_there_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="no file system nowhere://"):
        Storage("nowhere://bucket")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ConfigError, match=r"pip install 'dragoman\[batch\]'"):
        Storage("s3://bucket")


@pytest.mark.parametrize("protocol", sorted(storage.EXTRAS))
def test_each_store_that_an_extra_brings_says_which(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    extra = storage.EXTRAS[protocol]
    found = importlib.metadata.requires("dragoman") or []
    assert any(storage.PACKAGES[extra] in one and f"extra == '{extra}'" in one.replace('"', "'") for one in found)
    there = False

    def fails(url: str) -> None:
        raise ValueError("account")

    monkeypatch.setattr("fsspec.core.url_to_fs", fails)
    monkeypatch.setattr(storage, "find_spec", lambda name: object() if there else None)
    with pytest.raises(ConfigError, match=rf"{protocol}:// is not installed.*pip install 'dragoman\[{extra}\]'"):
        Storage(f"{protocol}://bucket/folder")
    there = True
    with pytest.raises(ConfigError, match=rf"cannot be used as it is set up.*{storage.PACKAGES[extra]}"):
        Storage(f"{protocol}://bucket/folder")


def test_a_file_system_that_lacks_its_library_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(url: str) -> None:
        raise OSError("Unable to load libjvm")

    monkeypatch.setattr("fsspec.core.url_to_fs", fails)
    with pytest.raises(ConfigError, match="hdfs:// cannot be used"):
        Storage("hdfs://cluster/folder")


def test_errors_say_where_and_never_a_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="No such file") as told:
        Storage(str(tmp_path)).open("none")
    assert told.value.where == f"{tmp_path}/none"
    folder = Storage("memory://user:secret@folder")
    assert folder.shown == "memory://folder"

    def down(*given: Any, **options: Any) -> None:
        raise ConnectionError("user:secret")

    monkeypatch.setattr(folder.fs, "isfile", down)
    with pytest.raises(StoreUnavailable, match="did not answer") as silent:
        folder.is_file("a")
    assert "secret" not in str(silent.value)
    assert silent.value.exit_code == 3


# --- object stores, as programs of this machine play them -------------------------------------------------------------


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    pytest.importorskip("s3fs", reason="run `make engines`: s3fs is in an environment of its own")
    moto = pytest.importorskip("moto.server", reason="run `make engines`: moto is in an environment of its own")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "word")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    fsspec.filesystem("s3").mkdir("logs")
    yield "s3://logs"
    server.stop()


@pytest.fixture
def gs(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    pytest.importorskip("gcsfs", reason="pip install 'dragoman[gs]' gcp-storage-emulator")
    emulator = pytest.importorskip("gcp_storage_emulator.server", reason="pip install gcp-storage-emulator")
    server = emulator.create_server("127.0.0.1", 0, in_memory=True, default_bucket="logs")
    server.start()
    port = server._api._httpd.server_address[1]
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
    yield "gs://logs"
    server.stop()


@pytest.fixture
def abfs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    pytest.importorskip("adlfs", reason="pip install 'dragoman[abfs]'")
    program = shutil.which("azurite-blob") or pytest.skip("no azurite-blob on the path: npm install -g azurite")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    where = ["--location", str(tmp_path / "azure"), "--blobPort", str(port)]
    command = [program, "--silent", "--skipApiVersionCheck", *where]
    account = "devstoreaccount1"
    key = base64.b64encode(b"dragoman").decode()
    server = subprocess.Popen(command, env={**os.environ, "AZURITE_ACCOUNTS": f"{account}:{key}"})
    try:
        while True:
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                break
            assert server.poll() is None
            time.sleep(0.1)
        at = f"DefaultEndpointsProtocol=http;AccountName={account};AccountKey={key};"
        at += f"BlobEndpoint=http://127.0.0.1:{port}/{account};"
        monkeypatch.setenv("AZURE_STORAGE_CONNECTION_STRING", at)
        fsspec.filesystem("abfs").mkdir("logs")
        yield "abfs://logs"
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(params=["s3", pytest.param("gs", marks=pytest.mark.slow), pytest.param("abfs", marks=pytest.mark.slow)])
def bucket(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


@pytest.mark.filterwarnings("ignore")  # of the clients and of what plays their servers
def test_batches_and_indexes_over_an_object_store(bucket: str, tmp_path: Path) -> None:
    from tests.batch.rows_support import batch, files, questions, write_jsonl

    source = write_jsonl(tmp_path / "q.jsonl", questions(40))
    batch(source, tmp_path / "out", part_rows=10)
    with source.open("rb") as file:
        Storage(f"{bucket}/in").write("q.jsonl", file.read())
    home = Dragoman.demo("hospital").vocabularies.place.parent
    sent = remote.push(home, f"{bucket}/index")
    assert remote.push(home, f"{bucket}/index").moved == 0
    done = batch(f"{bucket}/in", f"{bucket}/out", part_rows=10, workers=2, index_store=f"{bucket}/index")
    assert (done.rows, done.parts) == (40, 4)
    there = Storage(f"{bucket}/out")
    made = {name: there.read(name) for name in ("q-00000.jsonl", "q-00003.jsonl")}
    assert made == {name: data for name, data in files(tmp_path / "out").items() if name in made}
    assert batch(f"{bucket}/in", f"{bucket}/out", part_rows=10, index_store=f"{bucket}/index").already == 4
    assert remote.pull(f"{bucket}/index", tmp_path / "pulled").id == sent.id
    store.check(store.open_place(tmp_path / "pulled"))
