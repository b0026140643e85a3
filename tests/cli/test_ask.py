"""``ask``, ``resolve``, ``enrich``, ``lookup`` on a small project."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from tests.cli.conftest import Dragoman

from dragoman.types import Answer, Enrichment


def test_ask_prints_one_answer(dragoman: Dragoman, hospital: Path) -> None:
    ran = dragoman("ask", "Wat is hypothyreoïdie?", "--project", hospital, "--json")
    assert (ran.code, ran.err) == (0, "")
    answer = msgspec.json.decode(ran.out, type=Answer)
    assert answer.enrichment.text == "Wat is hypothyreoïdie? (Trage schildklier)"
    assert set(ran.json) == {"turn", "scope", "mentions", "candidates", "frame", "enrichment", "index", "trace"}


def test_ask_for_a_person_shows_what_was_found(dragoman: Dragoman, hospital: Path) -> None:
    ran = dragoman("ask", "Wat is hypothyreoïdie?", "--project", hospital)
    assert ran.code == 0
    for part in ("Mentions", "Frame", "Enrichment", "Trace", "Trage schildklier", "same_concept", "condition_info"):
        assert part in ran.out
    assert "\x1b" not in ran.out


@pytest.mark.parametrize("text", ["[bold]x[/] :smile: [/nope]", "a\x00b", "\u202e\u200d", "🙂" * 50, "a\n\n"])
def test_any_text_can_be_asked_and_shown(dragoman: Dragoman, hospital: Path, text: str) -> None:
    assert dragoman("ask", "--project", hospital, "--", text).code == 0
    ran = dragoman("ask", "--project", hospital, "--json", "--", text)
    assert ran.json["turn"]["text"] == text


def test_markup_in_a_text_stays_text(dragoman: Dragoman, hospital: Path) -> None:
    assert "[bold]hypothyreoïdie[/]" in dragoman("ask", "[bold]hypothyreoïdie[/]", "--project", hospital).out


def test_stdin_and_turn_files(dragoman: Dragoman, hospital: Path, tmp_path: Path) -> None:
    ran = dragoman("ask", "-", "--project", hospital, "--json", stdin=b"nefrolithiase\n")
    assert ran.json["enrichment"]["text"] == "nefrolithiase (Nierstenen)"
    turn = tmp_path / "turn.json"
    turn.write_text(json.dumps({"text": "nefrolithiase", "subject_scope": "veterinary"}))
    scope = dragoman("ask", "--turn", turn, "--project", hospital, "--json").json["scope"]
    assert (scope["subject"], scope["claimed"]) == ("veterinary", "veterinary")


def test_a_project_may_be_its_folder_or_its_file(dragoman: Dragoman, hospital: Path) -> None:
    for project in (hospital, hospital / "dragoman.toml"):
        assert dragoman("resolve", "niersteen", "--project", project, "--json").json["candidates"]


def test_a_layer_can_be_switched_off(dragoman: Dragoman, hospital: Path) -> None:
    for command in ("ask", "enrich"):
        ran = dragoman(
            command, "nefrolithiase", "-p", hospital, "--without", "terminology,taxonomy,near,words", "--json"
        )
        enrichment = ran.json["enrichment"] if command == "ask" else ran.json
        assert enrichment["text"] == "nefrolithiase"
    ran = dragoman("ask", "nefrolithiase", "-p", hospital, "--without", "nere")
    assert (ran.code, "did you mean 'near'?" in ran.err) == (2, True)


def test_a_models_reply_can_be_read_from_a_file(dragoman: Dragoman, hospital: Path, tmp_path: Path) -> None:
    reply = tmp_path / "reply.json"
    reply.write_text('{"turn_type": "condition_info"}')
    ran = dragoman("ask", "nefrolithiase", "--reply", reply, "--project", hospital, "--json")
    assert (ran.code, ran.json["frame"]["understood_by"]) == (0, "model")


def test_a_model_that_fails_still_gives_a_frame_and_exit_3(dragoman: Dragoman, hospital: Path, tmp_path: Path) -> None:
    reply = tmp_path / "reply.json"
    reply.write_text("<html>502</html>")
    ran = dragoman("ask", "nefrolithiase", "--reply", reply, "--project", hospital, "--json")
    assert ran.code == 3
    assert ran.json["frame"]["system_error"] == "understanding_malformed_output"
    assert ran.err.startswith("error: ")
    assert "nefrolithiase" not in ran.err


def test_resolve_is_the_deterministic_part(dragoman: Dragoman, formulary: Path) -> None:
    found = dragoman("resolve", "amoxicillin 500 mg", "--project", formulary, "--json").json
    assert [(c["id"], c["match"]) for c in found["candidates"]] == [("amoxicilin", "variant")]
    assert "frame" not in found
    shown = dragoman("resolve", "amoxicillin 500 mg", "--project", formulary).out
    assert "Amoxicilin" in shown
    assert "variant" in shown


def test_enrich_prints_an_enrichment(dragoman: Dragoman, hospital: Path) -> None:
    ran = dragoman("enrich", "nefrolithiase", "--project", hospital, "--json")
    assert msgspec.json.decode(ran.out, type=Enrichment).text == "nefrolithiase (Nierstenen)"
    assert "Nierstenen" in dragoman("enrich", "nefrolithiase", "--project", hospital).out


@pytest.mark.parametrize("term", ["nefrolithiase", "NEFROLITHIASE", "niersteen", "e-2"])
def test_lookup_by_term_or_id(dragoman: Dragoman, hospital: Path, term: str) -> None:
    found = dragoman("lookup", term, "--project", hospital, "--json").json
    assert [c["id"] for c in found["concepts"]] == ["e-2"]
    assert "Nierstenen" in dragoman("lookup", term, "--project", hospital).out


def test_lookup_of_nothing(dragoman: Dragoman, hospital: Path) -> None:
    ran = dragoman("lookup", "xyzzy", "--project", hospital)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("nothing is known of 'xyzzy'; ")
    as_document = dragoman("lookup", "xyzzy", "--project", hospital, "--json")
    assert (as_document.code, as_document.json["concepts"]) == (1, [])


@pytest.mark.parametrize("command", ["ask", "resolve", "enrich"])
def test_a_language_that_the_project_lacks_is_refused(dragoman: Dragoman, hospital: Path, command: str) -> None:
    ran = dragoman(command, "nefrolithiase", "-l", "zz", "--project", hospital)
    assert (ran.code, ran.out) == (2, "")
    assert "no language 'zz'" in ran.err
    assert "it has nl" in ran.err
    assert dragoman(command, "nefrolithiase", "-l", "nl-BE", "--project", hospital).code == 0
