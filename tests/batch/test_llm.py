"""Files of turns out and answers back, against an engine that only records what it is given."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from dragoman.batch.llm import export, import_answers
from dragoman.errors import ConfigError, DataError, LimitExceeded
from dragoman.project_tables import LimitsTable, LlmTable
from dragoman.protocols import ChatMessage, Request
from dragoman.types import Answer, Enrichment, IndexInfo, Queries, QueryFrame, Scope, SystemError_, TurnEcho

LLM = LlmTable(provider="openai", model="m")


class Recorder:
    def __init__(self, llm=LLM, reply=1000):
        self.project = SimpleNamespace(file=SimpleNamespace(llm=llm, limits=LimitsTable(reply=reply)))
        self.asked = []

    def request(self, turn):
        if turn.text.startswith("too long"):
            raise LimitExceeded("the turn has 9 characters", advice="the limit is 8")
        if turn.text.startswith("my dog"):
            return None
        message = ChatMessage("user", turn.text)
        return Request(messages=(message,), schema={"type": "object"}, prompt="p", max_output_tokens=9)

    def ask(self, turn, reply=None, fault=None):
        self.request(turn)
        self.asked.append((turn.text, reply, fault))
        error: SystemError_ | None = "understanding_malformed_output" if fault else None
        return Answer(
            turn=TurnEcho(text=turn.text, language="en"),
            scope=Scope(),
            frame=QueryFrame(system_error=error, understood_by="model" if reply else "rules"),
            enrichment=Enrichment(original=turn.text, text=turn.text, queries=Queries(verbatim="", dense="")),
            index=IndexInfo(id="x"),
        )


def recorder(*args: Any, **options: Any) -> Any:
    return Recorder(*args, **options)


def write(path, *lines):
    made = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("".join(f"{line}\n" for line in made), "utf-8")
    return path


def read(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def answer(custom_id, text="{}"):
    message = {"role": "assistant", "content": text}
    return {
        "custom_id": custom_id,
        "response": {"status_code": 200, "body": {"choices": [{"message": message, "finish_reason": "stop"}]}},
    }


@pytest.fixture
def files(tmp_path):
    return SimpleNamespace(
        turns=tmp_path / "turns.jsonl",
        requests=tmp_path / "requests.jsonl",
        answers=tmp_path / "answers.jsonl",
        out=tmp_path / "sub" / "frames.jsonl",
    )


# --- export --------------------------------------------------------------------------------------------------------


def test_every_kind_of_line(files):
    write(
        files.turns,
        {"text": "one"},
        {"id": "nl-2", "language": "nl", "turn": {"text": "two", "history": [{"role": "user", "text": "zero"}]}},
        "three",
        '"four"',
        "",
        {"id": "five", "text": "five"},
        {"text": "my dog"},
        {"text": "too long"},
        {"txt": "no turn"},
        "[" * 100_000,
        {"id": "five", "text": "again"},
        {"id": "not an id!", "text": "six"},
    )
    done = export(recorder(), files.turns, files.requests)
    lines = read(files.requests)
    assert [line["body"]["messages"][0]["content"] for line in lines] == ["one", "two", "four", "five", "six"]
    assert lines[1]["custom_id"] == "nl-2"
    assert lines[3]["custom_id"] == "five"
    assert lines[0]["custom_id"].startswith("1-")
    assert len({line["custom_id"] for line in lines}) == 5
    assert (done.turns, done.written, done.no_call) == (7, 5, 1)
    assert [p.line for p in done.problems] == [3, 8, 9, 10, 11]
    assert "again" not in str(done.problems)


def test_export_goes_on_where_it_was(files):
    write(files.turns, *({"text": f"t{n}"} for n in range(6)))
    export(recorder(), files.turns, files.requests)
    whole = files.requests.read_bytes()
    cut = whole[: len(whole) // 2]
    files.requests.write_bytes(cut)
    done = export(recorder(), files.turns, files.requests)
    assert files.requests.read_bytes() == whole
    assert (done.already, done.written) == (cut.count(b"\n"), 6 - cut.count(b"\n"))
    assert export(recorder(), files.turns, files.requests, fresh=True).written == 6


def test_the_format_follows_the_provider(files):
    write(files.turns, {"text": "one"})
    export(recorder(LlmTable(provider="anthropic", model="m")), files.turns, files.requests)
    assert "params" in read(files.requests)[0]
    export(recorder(), files.turns, files.requests, format="anthropic", model="other", fresh=True)
    assert read(files.requests)[0]["params"]["model"] == "other"


def test_what_cannot_be_exported(files):
    write(files.turns, {"text": "one"})
    with pytest.raises(ConfigError, match="no model"):
        export(recorder(llm=None), files.turns, files.requests)
    with pytest.raises(ConfigError, match="format"):
        export(recorder(), files.turns, files.requests, format="xml")
    with pytest.raises(DataError):
        export(recorder(), files.turns.with_name("none"), files.requests)


def test_half_a_surrogate_pair_is_no_turn(files):
    write(files.turns, '{"text": "a\\ud800b"}', {"text": "fine"})
    done = export(recorder(), files.turns, files.requests)
    assert done.written + len(done.problems) == 2
    assert len(read(files.requests)) == done.written


def test_progress_is_told(files):
    write(files.turns, *({"text": f"t{n}"} for n in range(3)))
    seen: list[int] = []
    export(recorder(), files.turns, files.requests, progress=seen.append)
    assert seen == [1, 2, 3]


# --- import --------------------------------------------------------------------------------------------------------


def ids(files, engine=None):
    export(engine or recorder(), files.turns, files.requests, fresh=True)
    return [line["custom_id"] for line in read(files.requests)]


def test_answers_in_any_order(files):
    write(files.turns, *({"text": f"t{n}"} for n in range(4)))
    given = ids(files)
    write(files.answers, *(answer(i, json.dumps({"of": i})) for i in reversed(given)))
    engine = recorder()
    done = import_answers(engine, files.turns, files.answers, files.out)
    assert [(text, json.loads(reply)["of"]) for text, reply, _ in engine.asked] == [
        (f"t{n}", i) for n, i in enumerate(given)
    ]
    assert [line["custom_id"] for line in read(files.out)] == given
    assert set(read(files.out)[0]) >= {"custom_id", "turn", "frame", "enrichment", "trace"}
    assert (done.written, done.errors, done.missing, done.problems) == (4, 0, 0, ())


def test_every_kind_of_damage(files):
    write(files.turns, *({"id": f"t{n}", "text": f"t{n}"} for n in range(8)), {"id": "dog", "text": "my dog"})
    long = json.dumps(answer("t6", "x" * 200_000))
    write(
        files.answers,
        answer("t0", '{"n": 0}'),
        "not json",
        {"no": "id"},
        {"custom_id": 7},
        "[]",
        answer("t0", '{"n": "again"}'),
        answer("stranger"),
        {"custom_id": "t1", "response": {"status_code": 500, "body": {}}},
        answer("t1", '{"n": 1}'),
        {"custom_id": "t2", "response": None, "error": {"code": "batch_expired"}},
        {"custom_id": "t3", "response": {"status_code": 200, "body": {"choices": []}}},
        {"custom_id": "t4", "reply": {"n": 4}},
        {"custom_id": "t5", "result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": "{}"}]}}},
        long,
        "[" * 100_000,
        "\x00\x01",
        '{"custom_id": "t0", "response": {"status_c',
    )
    engine = recorder()
    done = import_answers(engine, files.turns, files.answers, files.out)
    by_id = {line["custom_id"]: line["frame"]["system_error"] for line in read(files.out)}
    malformed = "understanding_malformed_output"
    assert by_id == {
        "t0": None, "t1": None, "t2": malformed, "t3": malformed, "t4": None, "t5": None, "t6": malformed, "dog": None,
    }  # fmt: skip
    assert engine.asked[0] == ("t0", '{"n": 0}', None)
    assert engine.asked[1] == ("t1", '{"n": 1}', None)  # the good answer, not the failed one before it
    assert engine.asked[2][2] == "server_error"
    assert engine.asked[6][2] == "huge"
    assert engine.asked[7] == ("my dog", None, None)
    assert (done.turns, done.written, done.errors, done.missing) == (9, 8, 3, 1)
    answers = {p.line: p.what for p in done.problems if p.file == "answers.jsonl"}
    assert set(answers) == {2, 3, 4, 5, 6, 7, 9, 14, 15, 16, 17}
    assert "no turn" in answers[7]
    assert [(p.file, p.line) for p in done.problems if p.file == "turns.jsonl"] == [("turns.jsonl", 8)]
    assert "again" not in str(done.problems)


def test_import_goes_on_and_mends(files):
    """A second run takes what was missing, does faults anew, and leaves the rest alone."""
    write(files.turns, *({"id": f"t{n}", "text": f"t{n}"} for n in range(3)))
    write(files.answers, answer("t0"), {"custom_id": "t1", "error": {"code": "x"}})
    first = import_answers(recorder(), files.turns, files.answers, files.out)
    assert (first.written, first.errors, first.missing) == (2, 1, 1)
    with files.out.open("ab") as torn:
        torn.write(b'{"custom_id": "t2", "fra')
    write(files.answers, answer("t1"), answer("t2"))
    engine = recorder()
    second = import_answers(engine, files.turns, files.answers, files.out)
    assert (second.written, second.already, second.errors, second.missing) == (2, 1, 0, 0)
    assert [text for text, _, _ in engine.asked] == ["t1", "t2"]
    assert sorted(line["custom_id"] for line in read(files.out)) == ["t0", "t1", "t2"]


def test_an_answer_reaches_no_other_turn(files):
    """Turns without ids: where the file has changed since the export, its answers fit no longer."""
    write(files.turns, {"text": "one"}, {"text": "two"})
    given = ids(files)
    write(files.answers, *(answer(i) for i in given))
    write(files.turns, {"text": "zero"}, {"text": "one"}, {"text": "two"})
    done = import_answers(recorder(), files.turns, files.answers, files.out)
    assert (done.written, done.missing) == (0, 3)
    assert sum("no turn" in p.what for p in done.problems) == 2


def test_windows_files(files):
    files.turns.write_bytes(b'\xef\xbb\xbf{"id": "a", "text": "one"}\r\n{"id": "b", "text": "two"}')
    files.answers.write_bytes(b'\xef\xbb\xbf{"custom_id": "a", "reply": "{}"}\r\n{"custom_id": "b", "reply": "{}"}')
    assert import_answers(recorder(), files.turns, files.answers, files.out).written == 2


def test_no_answers_file(files):
    write(files.turns, {"text": "one"})
    with pytest.raises(DataError):
        import_answers(recorder(), files.turns, files.answers, files.out)
