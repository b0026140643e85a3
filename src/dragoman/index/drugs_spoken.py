"""Names written as they sound, syllable by syllable, in a language whose words are syllables."""

from __future__ import annotations

from collections.abc import Iterator

from xxhash import xxh3_64_intdigest

from dragoman.index.drugs_check import JOINTS, Checker
from dragoman.index.drugs_store import HEAD, LONGEST, Arrays, Named, Stretch
from dragoman.text.tokens import Tokens

LEAST = 3  # syllables
MOST = 9
_LETTERS = 6  # letters of a syllable, at most
WHY = "written as it sounds"


def spoken(arrays: Arrays, checker: Checker, tokens: Tokens) -> Iterator[Stretch]:
    """Stretches of three or more syllables that sound like a name, the longest at each place."""
    keys = tokens.keys
    for first, stop in _runs(keys):
        forms = arrays.syllables.canonical(keys[first:stop])
        line = "".join(forms)
        gate, mask, digest = arrays.sound_gate, len(arrays.sound_gate) - 1, xxh3_64_intdigest
        at = 0
        for i in range(first, stop - LEAST + 1):
            head = line[at : at + HEAD]
            at += len(forms[i - first])
            if gate[digest(head.encode()) & mask]:
                best = _longest(arrays, checker, tokens, i, min(stop, i + MOST), head)
                if best is not None:
                    yield best


def _longest(arrays: Arrays, checker: Checker, tokens: Tokens, first: int, stop: int, head: str) -> Stretch | None:
    lengths = arrays.sound_heads.get(head)
    if lengths is None or any(not arrays.tones.isdisjoint(t.marked) for t in tokens.tokens[first : first + 2]):
        return None
    bits = lengths[0] | lengths[1] << 32
    keys, best = tokens.keys, None
    for last in range(first + LEAST, stop + 1):
        if not _close(tokens, last - 2) or not arrays.tones.isdisjoint(tokens.tokens[last - 1].marked):
            break
        form = arrays.spoken.canonical(["".join(keys[first:last])])[0]
        if not bits >> min(len(form), LONGEST) & 1:
            continue
        entries = arrays.sounds.get(form)
        if entries is not None and _close(tokens, first) and _is_speech(checker, tokens, first, last):
            names = [Named(arrays.entry_alias[e], "variant", WHY, 0.85) for e in entries]
            best = checker.guarded(tokens, first, last, checker.one_a_drug(names))
    return best


def _is_speech(checker: Checker, tokens: Tokens, first: int, last: int) -> bool:
    """Whether the words are of the language of syllables: one has a mark, or no more than one in four is none."""
    items = tokens.tokens[first:last]
    if any(t.key != t.marked for t in items):
        return True
    return sum(not checker.is_syllable(t.key) for t in items) * 4 <= len(items)


def _close(tokens: Tokens, i: int) -> bool:
    """Whether nothing but space or a hyphen stands between token ``i`` and the next."""
    return JOINTS.issuperset(tokens.text[tokens.tokens[i].end : tokens.tokens[i + 1].start])


def _runs(keys: list[str]) -> Iterator[tuple[int, int]]:
    """Stretches of tokens that could be syllables."""
    first = 0
    for i, key in enumerate(keys):
        if len(key) > _LETTERS or not key.isalpha():
            if i - first >= LEAST:
                yield first, i
            first = i + 1
    if len(keys) - first >= LEAST:
        yield first, len(keys)
