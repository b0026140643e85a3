"""Terms that are a finding with what it is of, terms run together, and the heads of longer terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dragoman.index.term_values import HEADED, JOINED, LEAST_COMPOUND, LEAST_PART, pair_keys
from dragoman.index.words_build import WordClasses
from dragoman.text.compounds import Compounds
from dragoman.text.morphology import EVERYWHERE, Morphology

SPLITS = 3  # readings of one compound
SAID = 8  # letters of an everyday adjective that is said of a noun; longer ones are learned
HEAD = 8  # letters of a word that is found as the head of a longer term


def joined(tokens_of: Sequence[list[str]], first: int) -> dict[str, list[int]]:
    """Terms of two to four words, run together; ``first`` is the number of the first term."""
    found: dict[str, list[int]] = {}
    for term, keys in enumerate(tokens_of, first):
        if 2 <= len(keys) <= 4 and len(key := "".join(keys)) >= JOINED:
            found.setdefault(key, []).append(term)
    return found


def pairs(
    classes: WordClasses, tokens_of: Sequence[list[str]], languages: Sequence[str], first: int
) -> dict[str, list[int]]:
    """Terms that are a finding with what it is of, as ``modifier+head``: compounds, phrases, participle with noun.
    A phrase with a preposition of place is also ``modifier < head``; an adjective is ``modifier+adjective=``.
    Each modifier is a key by itself, ``modifier+``, and so is its beginning, so that a look-up can stop early."""
    found: dict[str, list[int]] = {}
    rules = {
        code: (Compounds([pack], classes.morphology(code)), classes.morphology(code))
        for pack in classes.packs
        if (code := pack.code) != EVERYWHERE
    }

    def known(word: str) -> bool:
        return word in classes or word in classes.lists.everyday

    for term, (keys, language) in enumerate(zip(tokens_of, languages, strict=True), first):
        if language not in rules or len(keys) > 5:
            continue
        compounds, morphology = rules[language]
        if not compounds.findings:
            continue
        made: list[tuple[list[str], list[str]]] = []
        if len(keys) == 1:
            made = _split(keys[0], compounds, morphology, known, classes) if compounds.joined else []
        else:
            located = compounds.phrase(keys, 0, anything=True)
            if located is not None and located[1] == len(keys) and keys[1] in compounds.links:
                for modifier in morphology.bases(keys[located[0]]):
                    found.setdefault(f"{modifier}+", [])
                    for head in morphology.bases(keys[0]):
                        found.setdefault(f"{modifier} < {head}", []).append(term)
            phrase = compounds.phrase(keys, 0)
            if phrase is not None and phrase[1] == len(keys):
                made = [(morphology.bases(keys[phrase[0]]), morphology.roots(keys[0]))]
            elif len(keys) == 2:
                roots = morphology.origins(keys[0])
                said = len(keys[0]) <= SAID and keys[0] in classes.lists.everyday and keys[0] not in classes.stops
                if said and compounds.copulas:
                    roots += [f"{base}=" for base in morphology.adjectives(keys[0])]
                made = [(morphology.bases(keys[1]), roots)] if roots else []
        for modifiers, heads in made:
            for modifier in modifiers:
                found.setdefault(f"{modifier}+", [])
                found.setdefault(f"{modifier[:LEAST_PART]}>", [])
            for key in pair_keys(modifiers, heads):
                row = found.setdefault(key, [])
                if term not in row:
                    row.append(term)
    return found


def _split(
    word: str, compounds: Compounds, morphology: Morphology, known: Callable[[str], bool], classes: WordClasses
) -> list[tuple[list[str], list[str]]]:
    stops = classes.stops
    found: list[tuple[list[str], list[str]]] = []
    if len(word) < LEAST_COMPOUND:
        return found
    for at in range(LEAST_PART, len(word) - LEAST_PART + 1):
        head = word[at:]
        finding = compounds.head(head, compounds.findings)
        if not finding and not (known(head) and morphology.origins(head)):
            continue
        for first in compounds.bare(word[:at]):
            if first not in stops and (known(first) if finding else first in classes):
                found.append((morphology.bases(first), morphology.roots(head)))
                break
    return found[-SPLITS:]


def heads(
    classes: WordClasses,
    tokens_of: Sequence[list[str]],
    languages: Sequence[str],
    number: Mapping[str, int],
    first: int,
) -> dict[str, list[int]]:
    """Long words that end or begin a longer term, where few terms have them; an empty run where many do. Words of the
    term's language are not among them: a term is more than its everyday words."""
    below = classes.below
    found: dict[int, list[int]] = {}
    for term, keys in enumerate(tokens_of):
        if not 2 <= len(keys) <= 6:
            continue
        for key in dict.fromkeys((keys[0], keys[-1])):
            own = classes.lists.of.get(languages[term], ())
            if len(key) >= HEAD and key not in own:
                class_ = number[key] if below is None or key in number else below.classes[below.row(key)]
                found.setdefault(class_, []).append(first + term)
    if below is None:
        return {str(c): row if len(row) <= HEADED else [] for c, row in found.items()}
    kept: dict[str, list[int]] = {}
    for c, row in found.items():
        there = below.heads.get(str(c))
        if there is None or len(there):  # or the terminologies have too many
            kept[str(c)] = row
    return kept
