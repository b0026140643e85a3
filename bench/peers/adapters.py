"""One function a peer: given the vocabulary, a function from a text to the concept ids found in it.

Run by ``compare.py`` inside the peer's own environment: ``python -m bench.peers.adapters NAME``. Each peer
gets the same terms, the settings that its documentation starts with, and no model that would have to be fetched; what
was changed to run without one stands beside it. Nothing here is imported by dragoman.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.peers.material import Find, Rows, by_term, cui_of, loose, ngrams, own_of, rrf, similar, table_of


def dragoman(rows: Rows) -> Find:
    """A project of the same terms: drugs as a catalogue, conditions as a terminology; no list of other names."""
    from dragoman import Dragoman
    from dragoman.index.build import build
    from dragoman.project import load

    folder = Path(tempfile.mkdtemp())
    (folder / "terms").mkdir()
    conditions = [r for r in rows if r["kind"] == "condition"]
    drugs = [r for r in rows if r["kind"] == "drug"]
    table_of(
        folder / "terms" / "terms.csv",
        "concept_id,term,language,type,active",
        [
            (r["concept_id"], r["term"], "nl" if r["language"] == "la" else r["language"], "synonym", "1")
            for r in conditions
        ],
    )
    names = {r["concept_id"]: r["term"] for r in reversed(drugs)}
    table_of(folder / "drugs.csv", "drug_id,name", list(names.items()))
    others = [(r["concept_id"], r["term"], "generic") for r in drugs if names[r["concept_id"]] != r["term"]]
    table_of(folder / "aliases.csv", "drug_id,alias,kind", others)
    (folder / "dragoman.toml").write_text(
        '[project]\nprofile = "formulary"\nlanguages = ["nl", "vi"]\n'
        '[[terminology]]\nname = "t"\nformat = "csv"\npath = "terms/"\n'
        '[catalog]\ndrugs = "drugs.csv"\naliases = "aliases.csv"\n'
    )
    build(load(folder))
    engine = Dragoman.open(folder / "dragoman.toml")
    return lambda text: {c.id for c in engine.resolve(text).candidates}


def difflib_55(rows: Rows) -> Find:
    """``SequenceMatcher`` at .55, as resolvers without a library are written."""
    from difflib import get_close_matches

    table = by_term(rows)
    terms = list(table)

    def find(text: str) -> set[str]:
        close = (term for gram in ngrams(text) for term in get_close_matches(gram, terms, n=1, cutoff=0.55))
        return {c for term in close for c in table[term]}

    return find


def rapidfuzz_88(rows: Rows) -> Find:
    """``fuzz.ratio`` of at least 88 against every n-gram."""
    from rapidfuzz import fuzz

    return similar(rows, fuzz.ratio, 88)


def flashtext(rows: Rows) -> Find:
    """``KeywordProcessor``, as it is."""
    from flashtext import KeywordProcessor

    processor = KeywordProcessor()
    table = by_term(rows)
    for term in table:
        processor.add_keyword(term, term)
    return lambda text: {c for term in processor.extract_keywords(text) for c in table[term]}


def spacy_phrases(rows: Rows) -> Find:
    """``PhraseMatcher`` on lower case, with a blank multilingual pipeline."""
    import spacy
    from spacy.matcher import PhraseMatcher

    nlp = spacy.blank("xx")
    matcher = PhraseMatcher(nlp.vocab, attr="LOWER")
    for row in rows:
        matcher.add(row["concept_id"], [nlp.make_doc(row["term"])])
    return lambda text: {nlp.vocab.strings[key] for key, _, _ in matcher(nlp.make_doc(text))}


def spacy_fuzzy(rows: Rows) -> Find:
    """``Matcher`` with ``FUZZY1`` on each token."""
    import spacy
    from spacy.matcher import Matcher

    nlp = spacy.blank("xx")
    matcher = Matcher(nlp.vocab)
    for row in rows:
        matcher.add(row["concept_id"], [[{"LOWER": {"FUZZY1": t.lower_}} for t in nlp.make_doc(row["term"])]])
    return lambda text: {nlp.vocab.strings[key] for key, _, _ in matcher(nlp.make_doc(text))}


def gilda(rows: Rows) -> Find:
    """``Grounder`` over the terms, and its ``annotate``; without its disambiguation models."""
    from gilda.grounder import Grounder
    from gilda.ner import annotate
    from gilda.process import normalize
    from gilda.term import Term

    terms: dict[str, list[Any]] = {}
    for row in rows:
        norm = normalize(row["term"])
        made = Term(norm, row["term"], "own", row["concept_id"], row["term"], "name", "own")
        terms.setdefault(norm, []).append(made)
    grounder = Grounder(terms)
    grounder.gilda_disambiguators = {}  # trained models that would be fetched

    def find(text: str) -> set[str]:
        found = annotate(text, grounder=grounder, sent_split_fun=lambda t: [(0, len(t))])
        return {match.term.id for annotation in found for match in annotation.matches}

    return find


def quickumls(rows: Rows) -> Find:
    """Threshold .7 and Jaccard, its defaults; blank English pipeline and no stop words in place of fetched ones."""
    import spacy
    from quickumls import QuickUMLS, install, toolbox  # noqa: F401

    folder = Path(tempfile.mkdtemp())
    for name in ("umls-simstring.db", "cui-semtypes.db"):
        (folder / name).mkdir()
    (folder / "database_backend.flag").write_text("unqlite")
    (folder / "language.flag").write_text("ENG")
    (folder / "lowercase.flag").touch()
    records = ((r["term"].lower(), cui_of(r["concept_id"]), ["T047"], 1) for r in rows)
    install.parse_and_encode_ngrams(
        records, str(folder / "umls-simstring.db"), str(folder / "cui-semtypes.db"), "unqlite"
    )
    import nltk

    nltk.download = lambda *_: True
    nltk.corpus.stopwords = type("None_", (), {"words": staticmethod(lambda *_: [])})()
    spacy.load = lambda _: spacy.blank("en")
    matcher = QuickUMLS(str(folder), accepted_semtypes={"T047"})
    return lambda text: {
        own_of(m["cui"]) for group in matcher.match(text, best_match=True, ignore_syntax=True) for m in group
    }


def mmlite(rows: Rows) -> Find:
    """MetaMapLite's port, index built from the terms, without part-of-speech tags."""
    from mmlite import MetaMapLite
    from mmlite.config import Settings

    folder = rrf(rows)
    import subprocess

    command = [str(Path(sys.executable).parent / "mmlite"), "build-index", "--out", str(folder / "ivf")]
    for name in ("mrconso", "mrsty", "mrsat"):
        command += [f"--{name}", str(folder / f"{name.upper()}.RRF")]
    subprocess.run(command, check=True, capture_output=True)
    settings = Settings.load(None, index_directory=folder / "ivf")
    settings.enable_postagging = False
    tool = MetaMapLite(settings)
    return lambda text: {own_of(cui) for entity in tool.process_text(text) for cui in entity.cuis}


def medspacy(rows: Rows) -> Find:
    """``TargetMatcher`` with literal rules on a blank English pipeline."""
    import medspacy as peer
    from medspacy.target_matcher import TargetRule

    nlp = peer.load(medspacy_enable={"medspacy_target_matcher", "medspacy_tokenizer"})
    matcher = nlp.get_pipe("medspacy_target_matcher")
    matcher.add([TargetRule(literal=r["term"], category=r["concept_id"]) for r in rows])
    return lambda text: {entity.label_ for entity in nlp(text).ents}


def clinlp(rows: Rows) -> Find:
    """Its Dutch tokenizer, normalizer and rule-based entity matcher, fuzzy 0."""
    import clinlp  # noqa: F401
    import spacy
    from clinlp.ie import Term

    nlp = spacy.blank("clinlp")
    nlp.add_pipe("clinlp_normalizer")
    nlp.add_pipe("clinlp_sentencizer")
    matcher = nlp.add_pipe("clinlp_rule_based_entity_matcher", config={"attr": "NORM"})
    for row in rows:
        matcher.add_term(row["concept_id"], Term(row["term"], attr="NORM"))

    def find(text: str) -> set[str]:
        doc = nlp(text)  # the spans live as long as it does
        return {entity.label_ for entity in doc.spans["ents"]}

    return find


def medcat(rows: Rows) -> Find:
    """v2, its regex tokenizer, a concept database made from the terms and no training."""
    import logging

    logging.disable(logging.CRITICAL)
    import pandas
    from medcat.cat import CAT
    from medcat.config import Config
    from medcat.model_creation.cdb_maker import CDBMaker
    from medcat.vocab import Vocab

    config = Config()
    config.general.nlp.provider = "regex"
    config.components.linking.train = False
    table = pandas.DataFrame(
        [{"cui": r["concept_id"], "name": r["term"], "ontologies": "O", "name_status": "A"} for r in rows]
    )
    cat = CAT(CDBMaker(config).prepare_csvs([table]), Vocab(), config)
    return lambda text: {e["cui"] for e in cat.get_entities(text)["entities"].values()}


def scispacy(rows: Rows) -> Find:
    """The linker's candidate generator over the terms, one candidate of at least .85; every n-gram is a mention."""
    from scispacy.candidate_generation import CandidateGenerator, create_tfidf_ann_index
    from scispacy.linking_utils import KnowledgeBase

    folder = Path(tempfile.mkdtemp())
    table: dict[str, list[str]] = {}
    for row in rows:
        table.setdefault(row["concept_id"], []).append(row["term"])
    records = [
        {"concept_id": c, "canonical_name": names[0], "aliases": names, "types": ["T047"]} for c, names in table.items()
    ]
    (folder / "kb.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records), "utf-8")
    base = KnowledgeBase(str(folder / "kb.jsonl"))
    aliases, vectorizer, index = create_tfidf_ann_index(str(folder), base)
    generator = CandidateGenerator(index, vectorizer, aliases, base)

    def find(text: str) -> set[str]:
        best = generator(ngrams(text), 5)
        return {c.concept_id for group in best for c in group if max(c.similarities, default=0) >= 0.85}

    return find


def drug_ner(rows: Rows) -> Find:
    """Its own list of drugs, in place of the vocabulary; ``is_fuzzy_match`` on. Asked about drugs alone."""
    from drug_named_entity_recognition import find_drugs

    table = {loose(term): ids for term, ids in by_term([r for r in rows if r["kind"] == "drug"]).items()}

    def find(text: str) -> set[str]:
        hits = find_drugs(re.findall(r"\w+", text), is_fuzzy_match=True)
        found: set[str] = set()
        for drug, *_ in hits:
            names = [drug["name"], *drug.get("synonyms", [])]
            ids = {c for n in names for c in table.get(loose(n), ())}
            found |= ids or {"other:" + drug["name"]}
        return found

    return find


PEERS: dict[str, Callable[[Rows], Find]] = {
    f.__name__: f
    for f in (
        dragoman, rapidfuzz_88, difflib_55, flashtext, spacy_phrases, spacy_fuzzy, gilda, quickumls, mmlite, medspacy,
        clinlp, medcat, scispacy, drug_ner,
    )
}  # fmt: skip


def main(name: str, vocabulary: str, probes: str) -> None:
    with Path(vocabulary).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with Path(probes).open(encoding="utf-8", newline="") as file:
        asked = list(csv.DictReader(file))
    real, sys.stdout = sys.stdout, sys.stderr  # what peers print is not the answer
    find = PEERS[name](rows)
    found = {}
    for probe in asked:
        try:
            found[probe["id"]] = sorted(find(probe["text"]))
        except Exception as error:  # noqa: BLE001  (what a peer cannot read is an answer about it)
            found[probe["id"]] = [f"error: {type(error).__name__}"]
    json.dump(found, real)


if __name__ == "__main__":
    main(*sys.argv[1:4])
