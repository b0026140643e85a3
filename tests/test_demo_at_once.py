"""Several processes may open a demo that nobody has built yet: one builds, the others wait."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = "from dragoman import Dragoman; print(Dragoman.demo('hospital').info.id)"


def test_a_demo_that_several_processes_open_at_once_is_built_for_all(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    running = [
        subprocess.Popen([sys.executable, "-c", SCRIPT], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = {process.communicate()[0] for process in running}
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(said) == 1
