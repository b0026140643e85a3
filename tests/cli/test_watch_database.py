"""``build --watch`` hears of changes in a database, and of its going away and coming back."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests import stored
from tests.postgres import Server

AWAY = "the last index stays in use"


class Watch:
    """The command, running; what it says on either stream."""

    def __init__(self, project: Path) -> None:
        command = [sys.executable, "-m", "dragoman", "build", "--watch", "--project", str(project)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said: list[str] = []
        self._lines: queue.Queue[str] = queue.Queue()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self._lines.put(line)

    def until(self, words: str) -> None:
        end = time.monotonic() + 240
        while True:
            line = self._lines.get(timeout=max(0.1, end - time.monotonic()))
            self.said.append(line)
            if words in line:
                return

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self._thread.join()
        if self.process.stdout:
            self.process.stdout.close()


@pytest.mark.service
def test_tables_files_and_outages(mortal_postgres: Server, tmp_path: Path) -> None:
    server = mortal_postgres
    stored.write(tmp_path, server.dsn)
    watch = Watch(tmp_path)
    try:
        watch.until("index ")
        stored.run(server.dsn, "UPDATE dragoman.drug SET name = 'Zorbaline' WHERE drug_id = 'r1'")
        watch.until("changed: dragoman.drug")
        watch.until("index ")
        terms = tmp_path / "terms" / "terms.csv"
        terms.write_text(terms.read_text() + "k3,knarsvoet,nl,preferred,1\n")
        watch.until("changed: terms.csv")
        watch.until("index ")
        server.kill()
        watch.until(AWAY)
        time.sleep(1.5)  # it tries again meanwhile
        server.start()
        watch.until("changed: the database answers again")
        watch.until("index ")
        assert sum(AWAY in line for line in watch.said) == 1
    finally:
        watch.end()
