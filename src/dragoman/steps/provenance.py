"""What set each field of a frame: read off from how the frame changes from step to step.

A field is set by whoever understood the turn (``model``, ``offline``, ``rules``), by the person's confirmation
(``confirm``), by a cue of the profile (``cues``), by what an earlier turn said (``merge``), by the profile's fallback
(``validate``), by the question back (``clarify``) or by the template of a follow-up (``standalone``). What one of them
said and a later one took away is ``dropped``.
"""

from __future__ import annotations

from typing import Any

from dragoman.types import Entities, PatientContext, QueryFrame

STEP = "provenance"
_EMPTY = (None, (), "", False, "none")
_OWN = ("understood_by", "system_error")  # say themselves where they come from
_INNER: dict[str, tuple[str, ...]] = {
    "patient_context": PatientContext.__struct_fields__,
    "entities": Entities.__struct_fields__,
}
_OUTER = tuple(name for name in QueryFrame.__struct_fields__ if name not in _OWN)
FIELDS = tuple(
    f"{name}.{inner}" if inner else name for name in _OUTER for inner in _INNER.get(name, ("",))
)  # as they are told: those of the patient's context and of the entities after a dot


class Provenance:
    """Follows one frame. ``said`` is the reply that it began with, by the same field names, and ``by`` who gave it."""

    def __init__(self, said: object, by: str) -> None:
        self._by: dict[str, str] = {}
        self._outer: dict[str, Any] = {}
        self._last: dict[str, Any] = {}
        self._take(said, by)
        self._said = frozenset(self._by)
        self._last = {}
        self._outer = {}

    def bounded(self, frame: QueryFrame, by: str) -> None:
        """The frame that is left of the reply; what the reply did not say was added by the rules."""
        self._take(frame, by)
        for name in self._by:
            if name not in self._said:
                self._by[name] = "rules"

    def step(self, frame: QueryFrame, by: str) -> None:
        """The frame after the step ``by``: what has changed and is not empty is the step's."""
        self._take(frame, by)

    def _take(self, of: object, by: str) -> None:
        for outer in _OUTER:
            whole = getattr(of, outer)
            if whole is self._outer.get(outer):
                continue
            self._outer[outer] = whole
            for inner in _INNER.get(outer, ("",)):
                value, name = (getattr(whole, inner), f"{outer}.{inner}") if inner else (whole, outer)
                if value not in _EMPTY and self._last.get(name) != value:
                    self._by[name] = by
                self._last[name] = value

    @property
    def count(self) -> int:
        """How many fields have a value."""
        return sum(self._last.get(name) not in _EMPTY for name in self._by)

    def note(self) -> str | None:
        """``field: what set it``, separated by ``; ``; ``None`` for a frame that is empty throughout."""
        told = [
            f"{name}: {'dropped' if self._last.get(name) in _EMPTY else self._by[name]}"
            for name in FIELDS
            if name in self._by
        ]
        return "; ".join(told) or None
