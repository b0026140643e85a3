"""The families of ``training/`` as readings with labels: what the offline heads are trained and measured on."""

from __future__ import annotations

import hashlib
import re
import tomllib
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dragoman import folder
from dragoman.folder import Language, Profile
from dragoman.reading import Reading
from dragoman.steps.scope import subject_scope
from dragoman.text.tokens import tokenize
from dragoman.types import Candidate, Kind, Mention, Message, Scope, Span, Turn

TRAINING = Path(__file__).parent.parent / "training"
LANGUAGES = ("vi", "en", "nl")  # the order of the phrases in a row of a group
ORDER = {"formulary": ("vi", "en", "nl"), "hospital": ("nl", "en", "vi")}  # the corpus language first
FOLDS = 5
SLOT = re.compile(r"\{(\w+?)(\d?)\}")  # {drug}, {drug2}: what may stand there is in fillers.toml
MARK = re.compile(r"\{(\w+):([^}]*)\}")  # {drug:Zyrtec}: a named span of a frozen text

# what a slot's name is to the vocabularies: the kind of candidate, its semantic type
KINDS: dict[str, tuple[Kind | None, str | None]] = {
    "drug": ("drug", None),
    "class": (None, None),
    "disease": ("concept", "condition"),
    "symptom": ("concept", "symptom"),
    "dept": ("entity", "department"),
    "doctor": ("entity", "doctor"),
    "procedure": ("entity", "procedure"),
}
PRIOR: dict[str, dict[str, Any]] = {
    "formulary": {"turn_type": "drug_attribute", "drugs": ["d"], "attribute": "lieu_luong"},
    "hospital": {"turn_type": "condition_info"},
}
# how a phrase is varied: the share of slots whose word no vocabulary knows, and whether people's words stand around it
VARIANTS = {"plain": (0.0, False), "noisy": (0.5, True)}
NOTHING_KNOWN = 0.15  # of the noisy turns, those of which no vocabulary knows any name


class Family(NamedTuple):
    """Phrases that ask one thing in one way, in three languages. ``group`` is what is held out together."""

    group: int
    labels: dict[str, Any]
    phrases: dict[str, list[str]]


class Sample(NamedTuple):
    """One turn with its labels. ``variant``: ``plain``, ``noisy`` or ``bare`` (Vietnamese without marks)."""

    reading: Reading
    labels: dict[str, Any]
    group: int
    language: str
    variant: str


Spans = list[tuple[str, int, int]]


def profile(name: str) -> Profile:
    """The built-in profile."""
    return folder.profile(name, Path())


def draw(*key: object) -> int:
    """A number that looks random and is the same in every run."""
    return int.from_bytes(hashlib.sha256("|".join(map(str, key)).encode()).digest()[:6], "big")


def bare(text: str) -> str:
    """Vietnamese as typed without marks."""
    stripped = unicodedata.normalize("NFD", text.replace("đ", "d").replace("Đ", "D"))
    return "".join(c for c in stripped if not unicodedata.combining(c))


def families(profile_name: str) -> list[Family]:
    """The families of a profile and those common to all; such as share a phrase are held out together."""
    raw: list[tuple[dict[str, Any], dict[str, list[str]]]] = []
    for part in ("common", profile_name):
        for path in sorted((TRAINING / part).rglob("*.toml")):
            data = tomllib.loads(path.read_text("utf-8"))
            for family in data.get("family", ()):
                labels = {k: v for k, v in family.items() if k not in LANGUAGES}
                raw.append(({**data["labels"], **labels}, {code: family[code] for code in LANGUAGES}))
            for group in data.get("group", ()):
                labels = {**data["labels"], **{k: v for k, v in group.items() if k != "families"}}
                for row in group["families"]:
                    raw.append((labels, {code: [p] for code, p in zip(LANGUAGES, row, strict=True)}))
    owner = list(range(len(raw)))

    def root(i: int) -> int:
        while owner[i] != i:
            i = owner[i]
        return i

    first: dict[tuple[str, str], int] = {}
    for i, (_, phrases) in enumerate(raw):
        for code, texts in phrases.items():
            for text in texts:
                key = (code, " ".join(re.findall(r"[\w{}]+", text.lower())))
                owner[root(i)] = root(first.setdefault(key, i))
    names = [draw(*(p for code in LANGUAGES for p in raw[root(i)][1][code])) for i in range(len(raw))]
    return [Family(names[i], labels, phrases) for i, (labels, phrases) in enumerate(raw)]


def samples(profile_name: str) -> Iterator[Sample]:
    """Every phrase of every family, plain and noisy; half of the Vietnamese also without marks.

    Without those about animals: the scope turns them away before any of this is asked.
    """
    for sample in _samples(profile_name):
        one = sample.reading
        if subject_scope(one.turn, one.messages, one.languages).subject != "veterinary":
            yield sample


def _samples(profile_name: str) -> Iterator[Sample]:
    fillers = tomllib.loads((TRAINING / "fillers.toml").read_text("utf-8"))
    wrappers = tomllib.loads((TRAINING / "wrappers.toml").read_text("utf-8"))
    for family in families(profile_name):
        for code in LANGUAGES:
            for number, phrase in enumerate(family.phrases[code]):
                for variant, (unknown, wrapped) in VARIANTS.items():
                    key = (family.group, code, number, variant)
                    text, spans = _fill(phrase, fillers[code], key, unknown)
                    if wrapped:
                        around = wrappers[code]["around"]
                        text, spans = _wrap(text, spans, around[draw(*key, "around") % len(around)])
                    labels = dict(family.labels)
                    if "context_action" not in labels and draw(*key, "history") % 10 < 3:
                        labels["history"] = True  # a whole question of its own may well follow another
                    made = reading(profile_name, code, text, spans, history=bool(labels.get("history")))
                    yield Sample(made, labels, family.group, code, variant)
                    if code == "vi" and draw(*key, "bare") % 2 == 0:
                        made = reading(profile_name, code, bare(text), spans, history=bool(labels.get("history")))
                        yield Sample(made, labels, family.group, code, "bare")


def frozen(profile_name: str, *, known: bool = True) -> Iterator[Sample]:
    """The separately worded turns; with ``known`` false no vocabulary knows any of their names.

    Several turn types, joined by ``|``, are all accepted.
    """
    for line in (TRAINING / profile_name / "frozen.tsv").read_text("utf-8").splitlines()[1:]:
        code, turn_type, attribute, others, marked = line.split("\t")
        labels: dict[str, Any] = {"turn_type": turn_type}
        if attribute:
            labels["attribute"] = attribute
        for pair in filter(None, others.split(";")):
            key, _, value = pair.partition("=")
            key = "condition_relation" if key == "relation" else key
            labels[key] = {"true": True, "false": False}.get(value, value)
        text, spans = _unmark(marked)
        made = reading(profile_name, code, text, spans if known else [], history=bool(labels.get("history")))
        yield Sample(made, labels, 0, code, "plain")


def real(profile_name: str) -> Iterator[tuple[str, str, list[str]]]:
    """``(language, text, accepted turn types)`` of the real questions."""
    lines = (TRAINING / "real" / "frozen.tsv").read_text("utf-8").splitlines()
    column = lines[0].split("\t").index(profile_name)
    for line in lines[1:]:
        cells = line.split("\t")
        yield cells[0], cells[4], cells[column].split("|")


def reading(profile_name: str, code: str, text: str, spans: Spans, *, history: bool) -> Reading:
    """A reading whose named spans are as the vocabularies would have found them."""
    candidates: list[Candidate] = []
    mentions: list[Mention] = []
    for number, (slot, start, end) in enumerate(spans):
        kind, semantic = KINDS[slot]
        span, words = Span(start, end), text[start:end]
        if kind is None:
            mentions.append(Mention(span=span, text=words, status="class", kind="drug"))
        elif kind == "drug" and draw(text, number) % 7 == 0:  # one in seven is not in the catalogue
            mentions.append(Mention(span=span, text=words, status="unknown", kind="drug"))
        else:
            candidates.append(
                Candidate(
                    span=span, text=words, kind=kind, source="training", id=f"{slot}{number}", name=words,
                    semantic_type=semantic, match="exact",
                )
            )  # fmt: skip
    before = (Message(role="user", text="…"), Message(role="assistant", text="…")) if history else ()
    turn = Turn(text=text, language=code, history=before, prior_frame=PRIOR[profile_name] if history else None)
    packs: tuple[Language, ...] = tuple(folder.language(c) for c in ORDER[profile_name])
    return Reading(
        turn=turn, language=code, languages=packs, scope=Scope(), messages=((-1, tokenize(text)),),
        candidates=tuple(candidates), mentions=tuple(mentions),
    )  # fmt: skip


def _fill(phrase: str, fillers: dict[str, list[str]], key: tuple[object, ...], unknown: float) -> tuple[str, Spans]:
    out, spans, at = "", [], 0
    lost = draw(*key, "lost") % 1000 / 1000 < NOTHING_KNOWN
    for match in SLOT.finditer(phrase):
        slot = match[1]
        out += phrase[at : match.start()]
        number = draw(*key, match[0])
        word = fillers[slot][number // 1000 % len(fillers[slot])]
        share = unknown / 3 if slot == "drug" else unknown  # names of drugs are known far more often
        if slot in KINDS and number % 1000 / 1000 >= share and not (unknown and lost):
            spans.append((slot, len(out), len(out) + len(word)))
        out += word
        at = match.end()
    return out + phrase[at:], spans


def _wrap(text: str, spans: Spans, around: str) -> tuple[str, Spans]:
    before, _, after = around.partition("{q}")
    shift = len(before)
    return before + text + after, [(slot, a + shift, b + shift) for slot, a, b in spans]


def _unmark(marked: str) -> tuple[str, Spans]:
    out, spans, at = "", [], 0
    for match in MARK.finditer(marked):
        out += marked[at : match.start()]
        spans.append((match[1], len(out), len(out) + len(match[2])))
        out += match[2]
        at = match.end()
    return out + marked[at:], spans
