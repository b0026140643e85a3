"""Which languages a turn may say that it is in, whatever protocol it came by."""

from __future__ import annotations

from dragoman.errors import DataError
from dragoman.project import Project
from dragoman.steps.language_of import stated


def check(language: str | None, project: Project) -> None:
    """Refuse a turn in a ``language`` that the project does not read: to read it in another would look like an answer.

    Raises ``DataError``, in words that do not repeat what was said.
    """
    if language and stated(language, project.languages) is None:
        known = ", ".join(pack.code for pack in project.languages)
        raise DataError(f"language is none of those read here: {known}", advice="or leave it out")
