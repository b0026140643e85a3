"""Waits for the database to say that something changed."""

from __future__ import annotations

from typing import Any

from dragoman.store_postgres.connect import answering, connect, shown

CHANNEL = "dragoman_changed"


class Listener:
    """One connection that hears of committed changes, from the moment it is made.

    Raises ``ServiceError`` from every method where the server is not, or no longer, there; make another one then, and
    take for granted that something changed in between.
    """

    def __init__(self, dsn: str) -> None:
        self.database = shown(dsn)
        with answering(self.database):
            self._base: Any = connect(dsn)
            try:
                self._base.execute(f"LISTEN {CHANNEL}")
            except BaseException:
                self._base.close()
                raise

    def wait(self, seconds: float) -> tuple[str, ...]:
        """The tables that changed, as soon as one did; none after ``seconds``."""
        with answering(self.database):
            heard = [notice.payload for notice in self._base.notifies(timeout=seconds, stop_after=1)]
            if heard:
                heard += [notice.payload for notice in self._base.notifies(timeout=0)]
        return tuple(dict.fromkeys(heard))

    def check(self) -> None:
        """Ask the server whether it is there; a network that drops packets says nothing by itself."""
        with answering(self.database):
            self._base.execute("SELECT 1")

    def close(self) -> None:
        """Let go of the connection."""
        self._base.close()
