"""What the endpoints share: the open project, its tenants, and what an administrator has switched."""

from __future__ import annotations

from dragoman.engine import Dragoman


class Service:
    """The engine that answers now. A reload of the project file puts another in its place."""

    def __init__(self, engine: Dragoman) -> None:
        self.engine = engine
