"""What was meant by a word that is none of those there are."""

from __future__ import annotations

from collections.abc import Iterable

_CODE = 3  # letters of a code, in which a swap is no likeness that a ratio sees


def nearest(given: str, known: Iterable[str]) -> str | None:
    """The one of ``known`` that ``given`` most likely is; ``None`` where it is like none of them.

    Case, hyphens and spaces make no difference. Codes of two or three letters are alike where their letters are the
    same, or their first.
    """
    there = {_plain(one): one for one in known}
    key = _plain(given)
    if key in there:
        return there[key]
    if len(key) <= _CODE and all(len(one) <= _CODE for one in there):
        swapped = (one for one in there if sorted(one) == sorted(key))
        alike = next(swapped, None) or next((one for one in there if one[:1] == key[:1]), None)
        return there[alike] if alike else None
    from difflib import get_close_matches  # only where something is wrong

    close = get_close_matches(key, there, n=1, cutoff=0.5)
    return there[close[0]] if close else None


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """The nearest as a question, or all that there are."""
    there = list(known)
    near = nearest(given, there)
    return f"did you mean {near!r}?" if near is not None else f"there are: {', '.join(sorted(there)) or 'none'}"


def _plain(word: str) -> str:
    return word.strip().casefold().replace("-", "_").replace(" ", "_")
