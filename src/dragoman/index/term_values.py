"""What the build and the look-up of terms agree on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xxhash import xxh3_64_intdigest

from dragoman.text.tokens import LONGEST_WORD, Tokens

LONGEST = 31  # tokens of a term; longer ones are descriptions, not names
TYPES = ("preferred", "synonym", "fsn", "lay", "name", "eponym")
PREFERRED, SYNONYM, FSN, LAY, NAME, EPONYM = range(6)
ABBREVIATION, EVERYDAY, MARKS, CAPITAL = 1, 2, 4, 8  # flags of a term; CAPITAL: it needs its capital letter
LEAST_COMPOUND = 6  # letters of a word that is taken apart
LEAST_PART = 3
BEGINS = 7  # letters that tell whether words that run together may be one
JOINED = 8  # letters of a term that is also found when its words are run together
HEADED = 12  # terms that a head may have and still say which is meant
OTHER = 1 << 30  # stands for a language that the project has no pack of
LISTED = 4096  # slots of a table of words from which it is a list, and not function words alone
DEPARTMENT = "department"  # the type of an entity that looks after others
PERSON = "doctor"  # the type of an entity that is found by its name alone
TAXONOMY = "taxonomy"  # the source of an entity candidate
ACTIONS = NEVER, ALWAYS, PREFER = ("never", "always", "prefer")  # what an editor may say of a term
NOT = "!"  # before a language: a rule counts in all others
RELATED = ("due_to", "associated_with")  # over which a page is near to a concept that is neither broader nor narrower
RELATIONS = ("is_a", "finding_site", "due_to", "part_of", "associated_with")

# Why a candidate is no exact match, or what evidence an abbreviation has. The first word is the feature that
# `--without` takes; the rest is for people.
INFLECTION = "inflection"
SPELLING = "spelling"
DERIVED = "derivation"
COMPOUND = "compound"
SHORT = "abbreviation"
SHORT_CAPITALS = "abbreviation, in capitals"
SHORT_WHOLE = "abbreviation, the whole question"
SHORT_NO_EVIDENCE = "abbreviation, without evidence"
QUALIFIED = "beside a word that makes it another"
MISSPELT = "beside a misspelt word that makes it another"
ANOTHER = (QUALIFIED, MISSPELT)  # the end of the reason of a candidate that is not what is meant


def content_keys(tokens: Tokens) -> list[str]:
    """The keys of a term's tokens; the ``s`` of a genitive or plural behind an apostrophe is no word."""
    keys = tokens.keys
    if "s" not in keys:
        return keys
    return [k for i, k in enumerate(keys) if not (k == "s" and i and is_apostrophe(tokens.gap(i - 1)))]


def is_apostrophe(gap: str) -> bool:
    """Whether two tokens are parted by an apostrophe alone."""
    return gap in ("'", "’", "`", "´")


def has(table: memoryview, word: str) -> bool:
    """Whether a set of words, as ``words_build.fingerprints`` writes it, has ``word``."""
    digest = xxh3_64_intdigest(word.encode("utf-8", "surrogatepass"))
    mask = len(table) - 1
    mark = (digest >> 32) or 1
    at = digest & mask
    while found := table[at]:
        if found == mark:
            return True
        at = (at + 1) & mask
    return False


def digest64(form: str) -> int:
    """The digest of a folded (or, where marks matter, marked) term."""
    return xxh3_64_intdigest(form.encode("utf-8", "surrogatepass"))


def digest32(form: str) -> int:
    """What tells exact matches: the low half of the digest."""
    return xxh3_64_intdigest(form.encode("utf-8", "surrogatepass")) & 0xFFFFFFFF


def pair_keys(modifiers: Iterable[str], heads: Iterable[str]) -> Iterator[str]:
    """The keys under which a compound of ``modifiers`` (readings of one) and ``heads`` is known."""
    heads = list(heads)
    for modifier in modifiers:
        for head in heads:
            yield f"{modifier}+{head}"


def deletes(word: str) -> list[str]:
    """``word`` and what remains of it when one letter is left out; in an order that is the same in any process.

    Beyond ``LONGEST_WORD`` letters the word alone: nobody writes such a one, and what remains grows with its square.
    """
    if len(word) > LONGEST_WORD:
        return [word]
    return list(dict.fromkeys((word, *(word[:i] + word[i + 1 :] for i in range(len(word))))))
