"""The request of one turn: the profile's instructions, then four blocks that hold this turn's data.

1. the candidates that were found in the conversation, as ``id<TAB>name``, and that these are not the whole formulary;
2. the profile's keys with their glosses;
3. what earlier turns settled;
4. the history, then the turn.

The words around the data stand in the profile's ``prompt.md``; nothing of them is in code. The person's words are JSON
strings throughout, so that no text can end its block or look like one of ours. History that does not fit the budget is
left out whole messages at a time, from the oldest; the turn and the facts never are.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from dragoman.errors import ConfigError, LimitExceeded
from dragoman.folder import Folder
from dragoman.protocols import ChatMessage, Request
from dragoman.reading import Reading
from dragoman.types import Candidate

FILE = "prompt.md"
MOST = 60  # candidates of a kind that are shown; those of the latest messages come first

_FRONT = re.compile(r"\A\+\+\+\n(.*?)\n\+\+\+\n", re.DOTALL)
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_PLACE = re.compile(r"\{\{(\w+)\}\}")

# Each section of the file, and what may be filled into it.
_SECTIONS: dict[str, frozenset[str]] = {
    "system": frozenset({"corpus_language"}),
    "candidates": frozenset({"drugs"}),
    "no candidates": frozenset(),
    "terms": frozenset({"terms"}),
    "keys": frozenset({"keys"}),
    "facts": frozenset({"facts"}),
    "conversation": frozenset({"conversation", "language"}),
}

Glosses = Mapping[str, Mapping[str, str]]
"""``{"turn_type": {key: gloss}, "attribute": ..., ...}``."""


class Front(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The head of ``prompt.md``: its version, and the fields of the reply in the order that the model writes them."""

    version: str
    fields: tuple[str, ...]


class Prompt(NamedTuple):
    """A profile's ``prompt.md``. ``name`` is what the trace calls it: profile, version, and hash of the text."""

    name: str
    fields: tuple[str, ...]
    sections: dict[str, str]


class Shown(NamedTuple):
    """The candidates that the model gets to see: one line an id, the person's words for it in order of appearance."""

    drugs: tuple[tuple[str, str, tuple[str, ...]], ...]
    terms: tuple[tuple[str, str, tuple[str, ...]], ...]

    @property
    def drug_ids(self) -> tuple[str, ...]:
        """The only ids that a reply may name."""
        return tuple(drug for drug, _, _ in self.drugs)


class Budget(NamedTuple):
    """Tokens, as ``tokens`` estimates them."""

    input: int
    output: int


def read_prompt(profile: Folder) -> Prompt:
    """The profile's prompt. Raises ``ConfigError`` for a missing file, section, version, or an unknown placeholder."""
    text = profile.text(FILE)
    where = str(profile.path / FILE)
    match = _FRONT.match(text)
    if match is None:
        raise ConfigError("has no head between lines of +++", where=where, advice="state version and fields there")
    try:
        front = msgspec.convert(tomllib.loads(match[1]), Front)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ConfigError(f"its head is wrong: {error}", where=where, advice="see the built-in profiles") from None
    parts = _HEADING.split(text[match.end() :])
    sections = {name.strip(): body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}
    for name, allowed in _SECTIONS.items():
        if name not in sections:
            raise ConfigError(f"has no section {name!r}", where=where, advice=f"add `# {name}`")
        unknown = set(_PLACE.findall(sections[name])) - allowed
        missing = allowed - set(_PLACE.findall(sections[name]))
        if unknown or (missing and name != "system"):
            raise ConfigError(
                f"section {name!r} must have the placeholders {sorted(allowed)}", where=where, advice="correct it"
            )
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return Prompt(f"{profile.name} {front.version} {digest}", front.fields, sections)


def shown(candidates: Iterable[Candidate]) -> Shown:
    """What of ``candidates`` (this turn's first, then of the latest message back) the model is shown."""
    drugs: dict[str, tuple[str, list[str]]] = {}
    terms: dict[str, tuple[str, list[str]]] = {}
    for candidate in candidates:
        into = drugs if candidate.kind == "drug" else terms
        if candidate.id not in into and len(into) >= MOST:
            continue
        words = into.setdefault(candidate.id, (candidate.name, []))[1]
        said = " ".join(candidate.text.split())
        if said not in words:
            words.append(said)
    return Shown(_lines(drugs), _lines(terms))


def build(
    prompt: Prompt,
    reading: Reading,
    seen: Shown,
    glosses: Glosses,
    settled: Mapping[str, Any],
    schema: dict[str, Any],
    budget: Budget,
    mask: Callable[[str], str] = str,
) -> Request:
    """The request for one turn. ``mask`` hides identifiers in the person's text before it goes anywhere.

    Raises ``LimitExceeded`` where the turn, the facts and the instructions alone exceed the budget: a turn is never
    cut.
    """
    texts = prompt.sections
    system = _fill(texts["system"], corpus_language=reading.languages[0].pack.name)
    blocks = [
        _fill(texts["candidates"], drugs=_table(seen.drugs)) if seen.drugs else texts["no candidates"],
        _fill(texts["terms"], terms=_table(seen.terms)) if seen.terms else "",
        _fill(texts["keys"], keys=_keys(glosses)),
        _fill(texts["facts"], facts=_json(settled)) if settled else "",
    ]
    turn = _json({"role": "user", "text": mask(reading.turn.text)})
    language = reading.pack.pack.name
    fixed = [system, *blocks, _fill(texts["conversation"], conversation=turn, language=language), _json(schema)]
    used = sum(tokens(text) for text in fixed)
    if used > budget.input:
        raise LimitExceeded(
            f"the turn makes a request of about {used} tokens",
            advice=f"the limit is {budget.input}; see [llm] max_input_tokens",
            limit=budget.input,
        )
    kept: list[str] = []
    for message in reversed(reading.turn.history):
        # Only the person's own messages are theirs; whatever else a caller calls a message is the assistant's.
        line = _json({"role": "user" if message.role == "user" else "assistant", "text": mask(message.text)})
        used += tokens(line)
        if used > budget.input:
            used -= tokens(line)
            break
        kept.append(line)
    conversation = "\n".join((*reversed(kept), turn))
    blocks.append(_fill(texts["conversation"], conversation=conversation, language=language))
    return Request(
        messages=(
            ChatMessage("system", system),
            ChatMessage("user", "\n\n".join(block for block in blocks if block)),
        ),
        schema=schema,
        prompt=prompt.name,
        max_output_tokens=budget.output,
        tokens=used,
        cut=len(reading.turn.history) - len(kept),
    )


def tokens(text: str) -> int:
    """About how many tokens a text is: its UTF-8 bytes by 2.5, and a little for its frame.

    No provider's own count is at hand offline, and they differ. English takes some 4.5 bytes a token and Vietnamese 2.5
    to 4, so this is an upper bound for all but the oldest tokenizers: history is cut a little early, never late.
    """
    return len(text.encode()) * 2 // 5 + 4


def _lines(found: dict[str, tuple[str, list[str]]]) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    return tuple((id_, name, tuple(words)) for id_, (name, words) in found.items())


def _table(rows: Iterable[tuple[str, str, tuple[str, ...]]]) -> str:
    """``id<TAB>name<TAB>the person's words``: the drug's own name stands first, whatever alias was typed."""
    return "\n".join(f"{_flat(id_)}\t{_flat(name)}\t{_json(words)}" for id_, name, words in rows)


def _keys(glosses: Glosses) -> str:
    groups = []
    for name, keys in glosses.items():
        if keys:
            lines = "\n".join(f"- `{key}`: {gloss}" if gloss else f"- `{key}`" for key, gloss in keys.items())
            groups.append(f"{name}:\n{lines}")
    return "\n".join(groups)


def _flat(text: str) -> str:
    """One line without tabs: a catalogue's name must not make a row of its own."""
    return " ".join(text.split())


def _json(value: Any) -> str:
    """JSON in readable Unicode on one line: what would break a line, or is no Unicode at all, stays an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _fill(template: str, **values: str) -> str:
    """Placeholders by values, in one pass, so that a value which looks like a placeholder stays as it is."""
    return _PLACE.sub(lambda match: values[match[1]], template)
