"""Which languages a turn may say that it is in, whatever protocol it came by."""

from __future__ import annotations

from dragoman.project import Project


def unread(language: str | None, project: Project) -> str:
    """Why a turn in ``language`` is refused, in words that do not repeat it; empty for one that the project reads.

    To read the turn in another language would look like an answer. Regions do not matter (``nl-BE`` is ``nl``).
    """
    if not language:
        return ""
    known = [pack.code for pack in project.languages]
    if language.replace("_", "-").split("-", 1)[0].lower() in known:
        return ""
    return f"language is none of those read here: {', '.join(known)}; or leave it out"
