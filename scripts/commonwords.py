"""Writes the word lists of a language pack from wordfreq.

    pip install wordfreq==3.1.1
    python scripts/commonwords.py nl src/dragoman/languages/nl

``commonwords.txt``: frequent words (Zipf frequency of at least 3.5, that is 3 in a million). An alias that is one of
them counts only beside evidence. ``otherwords.txt``: rarer words (at least 2.5) that the pack's ``words.txt.xz`` lacks,
names of people and places for the most part: no misspelling of a drug, but if the catalogue has one as a name, it is a
name. Both are folded and sorted. ``names_not_words.txt`` has the frequent words that are names of drugs first of all
(``nl:heroine``: in Dutch).

wordfreq (Robyn Speer, 2022) is Apache-2.0; its data, and so these lists, are CC BY-SA 4.0: see the header of each file.
A language whose words are listed by ``syllables.toml`` gets only what is no such syllable.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from wordfreq import get_frequency_dict, zipf_frequency

from dragoman.folder import Language
from dragoman.index.drugs_words import SYLLABLES_FILE, Syllables
from dragoman.text.tokens import tokenize
from dragoman.text.words import words

FREQUENT, RARE = 3.5, 2.5
LEAST, LEAST_RARE = 3, 5
HEADER = """\
# {what}, folded. Written by scripts/commonwords.py from wordfreq 3.1.1.
# Licence: CC BY-SA 4.0, https://creativecommons.org/licenses/by-sa/4.0/
# Source: Robyn Speer, wordfreq (2022), https://doi.org/10.5281/zenodo.7199437, from Wikipedia, OpenSubtitles, SUBTLEX,
# Google Books, news and web text.
"""


def main() -> None:
    """Write both lists of one language into a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language")
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    entries = [e.rpartition(":") for e in (Path(__file__).parent / "names_not_words.txt").read_text("utf-8").split()]
    drugs = {word for code, _, word in entries if code in {"", options.language}}
    pack = Language(options.out)
    syllables = pack.table(SYLLABLES_FILE, Syllables).all()
    listed = words([pack])
    frequent: set[str] = set()
    rare: set[str] = set()
    for word in get_frequency_dict(options.language, "best"):
        keys = tokenize(word).keys
        if len(keys) != 1 or not keys[0].isalpha() or not keys[0].isascii() or keys[0] in syllables:
            continue
        key, zipf = keys[0], zipf_frequency(word, options.language)
        if zipf >= FREQUENT and len(key) >= LEAST and key not in drugs:
            frequent.add(key)
        elif zipf >= RARE and len(key) >= LEAST_RARE and key not in listed:
            rare.add(key)
    for name, what, found in (
        ("commonwords.txt", "Frequent words", frequent),
        ("otherwords.txt", "Less frequent words", rare - frequent),
    ):
        text = HEADER.format(what=what) + "\n".join(sorted(found)) + "\n"
        (options.out / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
