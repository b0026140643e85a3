"""Who outside this machine is told what: for the people who must know, without asking anybody."""

from __future__ import annotations

from dragoman.models.probe import SENT, Probe, probe
from dragoman.project import Project
from dragoman.types import Value

__all__ = ["Probe", "Sends", "probe", "sends"]


class Sends(Value, frozen=True, kw_only=True):
    """With each turn, ``sent`` goes ``to`` an address (or to the provider's own where the project names none).

    ``sent`` is empty where the model runs on this machine. ``redacted``: obvious identifiers are masked first.
    """

    provider: str
    model: str
    to: str
    sent: tuple[str, ...]
    redacted: bool
    on_outage: str
    timeout_s: float


def sends(project: Project) -> Sends | None:
    """What a project's model is told; ``None`` where there is no model, and nothing leaves the machine."""
    llm = project.file.llm
    if llm is None:
        return None
    local = llm.provider == "local"
    return Sends(
        provider=llm.provider,
        model=llm.model,
        to="this machine" if local else llm.base_url or llm.provider,
        sent=() if local else SENT,
        redacted=llm.redact,
        on_outage=llm.on_outage,
        timeout_s=llm.timeout_s,
    )
