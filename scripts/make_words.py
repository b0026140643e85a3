"""Make ``languages/<xx>/words.txt.xz``: the words of a language, folded, one a line, sorted.

What they are for: a word of the language is never a misspelt medical term, and a short one never an abbreviation.

    apt-get download wdutch wamerican
    for f in *.deb; do dpkg -x $f .; done
    python scripts/make_words.py usr/share/dict/dutch src/dragoman/languages/nl
    python scripts/make_words.py usr/share/dict/american-english src/dragoman/languages/en

Sources and licences (see ``languages/<xx>/words.md``): OpenTaal's word list 2.20.19 (BSD or CC BY 3.0, the former taken
here) for Dutch; SCOWL 2020.12.07, size 60 (its own permissive notice) for English.
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

from dragoman.text.tokens import tokenize

LONGEST = 24


def words(lines: list[str]) -> list[str]:
    """Folded keys of the list's words. Abbreviations are left out, and so are short proper names."""
    found: set[str] = set()
    for line in lines:
        tokens = tokenize(line.strip()).tokens
        if len(tokens) != 1 or len(tokens[0].key) != len(line.strip()):
            continue
        surface, key = line.strip(), tokens[0].key
        if not key.isalpha() or not 2 <= len(key) <= LONGEST or surface.isupper():
            continue
        if surface[0].isupper() and len(key) < 6:
            continue
        found.add(key)
    return sorted(found)


def main() -> None:
    """Read the list named first, write into the folder named second."""
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    found = words(source.read_text("utf-8").splitlines())
    data = ("\n".join(found) + "\n").encode()
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
    (folder / "words.txt.xz").write_bytes(lzma.compress(data, filters=filters))
    sys.stdout.write(f"{len(found)} words\n")


if __name__ == "__main__":
    main()
