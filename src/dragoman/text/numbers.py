"""Numbers in running text: ``12,5``, ``9kg5``, ``40lb``, and numbers written as words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dragoman.text.phrases import Phrasebook, longest
from dragoman.text.tokens import Token, Tokens, tokenize

_RUNS = re.compile(r"\d+|[^\d]+")
_GROUPS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")


def numeric(tokens: Tokens, words: Phrasebook[float] | None = None) -> Tokens:
    """The same text with digits and letters as tokens of their own, and a decimal number as one.

    ``9kg5`` → ``9 kg 5``; ``12,5`` → one token with the key ``12.5``. ``words`` are numbers written as words; each
    found becomes a number token (never in a text typed without marks, where they are other words as well).
    """
    if not any(map(str.isdigit, tokens.text)):
        return _spelled(tokens, words) if words is not None else tokens
    split: list[Token] = []
    for token in tokens.tokens:
        if token.key.isdigit() or not token.key[0].isdigit():  # ``HbA1c`` and ``B12`` are names
            split.append(token)
            continue
        surface = tokens.text[token.start : token.end]
        for run in _RUNS.finditer(surface):
            for part in tokenize(run.group()).tokens:
                split.append(
                    Token(
                        token.start + run.start() + part.start,
                        token.start + run.start() + part.end,
                        part.key,
                        part.marked,
                    )
                )
    found: list[Token] = []
    for token in split:
        last = found[-1] if found else None
        if (
            last is not None
            and token.key.isdigit()
            and last.key.isdigit()
            and tokens.text[last.end : token.start] in {".", ","}
        ):
            found[-1] = Token(last.start, token.end, f"{last.key}.{token.key}", f"{last.key}.{token.key}")
        else:
            found.append(token)
    result = Tokens(tokens.text, found) if found != tokens.tokens else tokens  # nothing is worked out twice
    return _spelled(result, words) if words is not None else result


def _spelled(tokens: Tokens, words: Phrasebook[float]) -> Tokens:
    hits = {h.first: h for h in longest(words.find(tokens, folds=False))}
    if not hits:
        return tokens
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        hit = hits.get(at)
        if hit is None:
            found.append(tokens.tokens[at])
            at += 1
            continue
        key = f"{hit.value:g}"
        found.append(Token(tokens.tokens[hit.first].start, tokens.tokens[hit.last - 1].end, key, key))
        at = hit.last
    return Tokens(tokens.text, found)


def value(token: Token) -> float | None:
    """The number that ``token`` is, or ``None``."""
    return float(token.key) if token.key[0].isdigit() and token.key.replace(".", "", 1).isdigit() else None


def grouped(tokens: Tokens, token: Token) -> float | None:
    """The number with its separator read as one of thousands (``3.200`` → 3200), where it can be read so."""
    surface = tokens.text[token.start : token.end]
    return float(re.sub(r"[.,]", "", surface)) if _GROUPS.fullmatch(surface) else None


def numbers(messages: Sequence[Tokens]) -> set[float]:
    """Every number that the messages hold in digits, with and without their halves, as stated."""
    found: set[float] = set()
    for tokens in messages:
        for token in numeric(tokens).tokens:
            number = value(token)
            if number is not None:
                found.update({number, number + 0.5})
    return found
