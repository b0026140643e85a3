"""What stands before the endpoints, through real requests to the application."""

from __future__ import annotations

import asyncio
import base64
import gzip
from typing import Any

import pytest
from tests.serve import support

from dragoman.serve import body, headers
from dragoman.serve.problems import KINDS, PREFIX, ProblemError

TURN = {"text": "Panadol"}


def problem(answer, kind):
    """The answer is this problem, whole."""
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert document["type"] == PREFIX + kind
    assert (document["status"], document["title"]) == tuple(KINDS[kind])
    assert answer.status_code == document["status"]
    assert document["instance"] == f"urn:dragoman:request:{answer.headers['x-request-id']}"
    return document


# --- ids and headers -----------------------------------------------------------------------------------------------


def test_every_answer_has_an_id_and_a_short_plain_one_of_the_caller_is_kept(served):
    assert served.client.get("/healthz", headers={"x-request-id": "abc-1.2_3"}).headers["x-request-id"] == "abc-1.2_3"
    for odd in ("", "a b", "x" * 65, '"quoted"', "-first"):
        made = served.client.get("/healthz", headers={"x-request-id": odd}).headers["x-request-id"]
        assert len(made) == 32
        assert made != odd


@pytest.mark.parametrize("path", ["/healthz", "/v1/nothing", "/version", "/"])
def test_every_answer_has_the_security_headers(served, path):
    answer = served.client.get(path)
    for name, value in headers.SECURITY:
        assert answer.headers[name.decode()] == value.decode()
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "access-control-allow-origin" not in answer.headers


def test_answers_are_not_to_be_kept(served):
    assert served.client.post("/v1/enrich", json=TURN).headers["cache-control"] == "no-store"


# --- keys ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    """A service with four keys: for all, for one tenant, an administrator's, and that of a tenant's administrator."""
    kinds: dict[str, dict[str, Any]] = {
        "all": {},
        "north": {"tenants": ("north",)},
        "admin": {"admin": True},
        "north_admin": {"tenants": ("north",), "admin": True},
    }
    made = {name: support.key(**kwargs) for name, kwargs in kinds.items()}
    path = support.project(tmp_path_factory.mktemp("locked"), "".join(t for _, t in made.values()), tenants=True)
    with support.Served(path) as one:
        one.keys = {name: text for name, (text, _) in made.items()}
        yield one


def paths(app):
    """Every path that the application answers to, with a method."""
    for route in app.routes:
        if not getattr(route, "path_parameters", None):
            for method in getattr(route, "methods", ["GET"]):
                yield method, route.path


def test_nothing_but_health_opens_without_a_key(locked):
    asked = list(paths(locked.app))
    assert ("POST", "/v1/lookup") in asked
    for method, path in asked:
        answer = locked.client.request(method, path)
        if path in ("/healthz", "/readyz") and method == "GET":
            assert answer.status_code == 200
        elif method != "OPTIONS" or path not in ("/healthz", "/readyz"):
            problem(answer, "key")
            assert answer.headers["www-authenticate"].startswith("Bearer ")
    for path in ("/", "/index.html", "/mcp", "/nothing", "/t/north/v1/ask"):
        problem(locked.client.get(path), "key")


def test_only_a_person_who_opens_an_address_is_asked_for_the_key_in_a_window(locked):
    page = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    assert locked.client.get("/", headers=page).headers["www-authenticate"].startswith("Basic ")
    stale = page | {"authorization": "Basic " + base64.b64encode(b"me:old").decode()}
    assert locked.client.get("/", headers=stale).headers["www-authenticate"].startswith("Basic ")
    for sent in ({"x-api-key": "wrong"}, {"authorization": "Bearer wrong"}):
        assert locked.client.get("/", headers=page | sent).headers["www-authenticate"].startswith("Bearer ")
    for program in ({}, {"accept": "*/*"}, {"accept": "application/json"}):
        answer = locked.client.post("/v1/ask", json=TURN, headers=program)
        assert answer.headers["www-authenticate"].startswith("Bearer ")


@pytest.mark.parametrize("wrong", ["", "Bearer ", "Bearer dgm_00000000_x", "Basic xx", "x" * 5000, "Bearer \xff"])
def test_a_wrong_key_opens_nothing(locked, wrong):
    problem(locked.client.get("/version", headers={"authorization": wrong.encode("latin-1")}), "key")


def test_a_key_opens_by_any_of_its_headers(locked):
    text = locked.keys["all"]
    basic = base64.b64encode(f"me:{text}".encode()).decode()
    for sent in ({"authorization": f"Bearer {text}"}, {"x-api-key": text}, {"authorization": f"Basic {basic}"}):
        assert locked.client.get("/version", headers=sent).status_code == 200


def test_a_page_of_another_site_cannot_use_what_a_browser_remembers(locked):
    basic = base64.b64encode(f"me:{locked.keys['all']}".encode()).decode()
    sent = {"authorization": f"Basic {basic}", "sec-fetch-site": "cross-site"}
    problem(locked.client.get("/version", headers=sent), "forbidden")
    assert locked.client.get("/version", headers=sent | {"sec-fetch-site": "same-origin"}).status_code == 200


def test_a_tenants_key_opens_that_tenant_alone(locked):
    sent = {"x-api-key": locked.keys["north"]}
    assert locked.client.get("/t/north/version", headers=sent).json()["project"] == "north"
    assert locked.client.get("/version", headers=sent | {"x-dragoman-tenant": "north"}).json()["project"] == "north"
    for path in ("/version", "/t/south/version", "/v1/ask", "/metrics", "/t/nobody/version"):
        problem(locked.client.get(path, headers=sent), "forbidden")


def test_a_tenants_key_shows_nothing_of_the_others(locked):
    """Counts are of all tenants, by name; and who else there is, is nobody's business."""
    sent = {"x-api-key": locked.keys["north"]}
    problem(locked.client.get("/t/north/metrics", headers=sent), "forbidden")
    assert locked.client.get("/t/north/version", headers=sent).json()["tenants"] == []
    sent = {"x-api-key": locked.keys["all"]}
    assert locked.client.get("/version", headers=sent).json()["tenants"] == ["north", "south"]
    assert locked.client.get("/metrics", headers=sent).status_code == 200


def test_only_an_administrators_key_switches(locked):
    for name, kind in (("all", "forbidden"), ("north", "forbidden")):
        problem(locked.client.get("/v1/admin/switches", headers={"x-api-key": locked.keys[name]}), kind)
    north = {"x-api-key": locked.keys["north_admin"], "x-dragoman-tenant": "north"}
    problem(locked.client.get("/v1/admin/switches", headers=north), "forbidden")
    admin = {"x-api-key": locked.keys["admin"]}
    assert locked.client.get("/v1/admin/switches", headers=admin).json() == {"without": [], "model": True}


@pytest.mark.parametrize("path", ["/v1/admin/switches{}", "/{}v1/admin/switches", "/v1{}/admin/switches"])
@pytest.mark.parametrize("more", ["", "/", "//", "///"])
def test_however_a_path_is_written_only_an_administrators_key_switches(locked, path, more):
    """A router that takes ``/v1//admin`` for ``/v1/admin`` must not do so behind the back of who asks for the key."""
    where = f"http://127.0.0.1{path.format(more)}"
    for name in ("all", "north", "north_admin"):
        sent = {"x-api-key": locked.keys[name]}
        for call in (("PUT", where), ("GET", where), ("PUT", where.replace("/v1", "/t/north/v1", 1))):
            assert locked.client.request(*call, json={"model": False}, headers=sent).status_code in (403, 404, 405)
    assert locked.service.switches.now.model is True


@pytest.mark.parametrize(
    "path", ["/t/north/metrics/", "/t/north//metrics", "/t/north/metrics//", "//metrics", "/metrics/"]
)
def test_however_a_path_is_written_a_tenants_key_shows_no_counts(locked, path):
    sent = {"x-api-key": locked.keys["north"]}
    answer = locked.client.get(f"http://127.0.0.1{path}", headers=sent)
    assert answer.status_code in (403, 404)
    assert "dragoman_requests" not in answer.text


@pytest.mark.parametrize("path", ["/t/{}/healthz", "/t/{}/readyz"])
def test_who_has_no_key_learns_nothing_of_which_tenants_there_are(locked, path):
    one, other = (locked.client.get(path.format(name)) for name in ("north", "nobody"))
    assert (one.status_code, one.content) == (other.status_code, other.content)
    for name in ("north", "nobody"):
        problem(locked.client.get(f"/t/{name}/version"), "key")
        problem(locked.client.get("/version", headers={"x-dragoman-tenant": name}), "key")


def test_no_key_is_in_the_log(locked):
    for text in locked.keys.values():
        locked.client.get("/version", headers={"x-api-key": text})
        locked.client.get("/version", headers={"x-api-key": text[:-3]})
        secret = text.split("_", 2)[2]
        assert secret not in locked.stream.getvalue()
        assert secret[:-3] not in locked.stream.getvalue()
    assert {line["key"] for line in locked.log if line["event"] == "request"} >= {
        locked.keys[name].split("_")[1] for name in locked.keys
    }


# --- tenants -------------------------------------------------------------------------------------------------------


def test_a_tenant_has_its_own_names_and_not_its_neighbours(locked):
    sent = {"x-api-key": locked.keys["all"]}
    found = {}
    for tenant in ("", "north", "south"):
        for drug in ("Omeprazole", "Metformin", "Panadol"):
            path = f"/t/{tenant}/v1/resolve" if tenant else "/v1/resolve"
            answer = locked.client.post(path, json={"text": drug}, headers=sent)
            found[tenant, drug] = [c["id"] for c in answer.json()["candidates"]]
    assert {k for k, v in found.items() if v} == {("north", "Omeprazole"), ("south", "Metformin"), ("", "Panadol")}


def test_odd_tenants(locked):
    sent = {"x-api-key": locked.keys["all"]}
    problem(locked.client.get("/t/nobody/version", headers=sent), "tenant")
    problem(locked.client.get("/version", headers=sent | {"x-dragoman-tenant": "../north"}), "tenant")
    problem(locked.client.get("/t/north/version", headers=sent | {"x-dragoman-tenant": "south"}), "malformed")
    for path in ("/t/", "/t/north", "/t//version"):
        problem(locked.client.get(path, headers=sent), "not-found")


# --- limits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "kind", "limit"),
    [
        ({"json": {"text": "x" * 4001}}, "limit", "4000"),
        ({"json": {"text": "x", "history": [{"role": "user", "text": "x"}] * 41}}, "limit", "40"),
        ({"json": {"text": "x", "history": [{"role": "user", "text": "x" * 4001}]}}, "limit", "4000"),
        ({"json": {"text": "x" * 70_000}}, "body-size", "65536"),
        ({"content": b"{}", "headers": {"content-type": "text/plain"}}, "media-type", "application/json"),
        ({"content": b"{}", "headers": {"content-type": "application/json; charset=latin-1"}}, "media-type", "json"),
        ({"content": b"{}"}, "media-type", "application/json"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/ask", "/v1/resolve", "/v1/enrich"])
def test_a_limit_is_answered_with_what_it_is(served, path, sent, kind, limit):
    assert limit in problem(served.client.post(path, **sent), kind)["detail"]


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/enrich", "/v1/lookup"])
def test_a_body_that_is_packed_is_not_taken_for_broken(served, path):
    packed = gzip.compress(b'{"text": "Panadol"}')
    sent = {"content-type": "application/json", "content-encoding": "gzip"}
    answer = served.client.post(path, content=packed, headers=sent)
    assert "Content-Encoding" in problem(answer, "media-type")["detail"]
    assert answer.headers["accept-encoding"] == "identity"
    plain = {"content-type": "application/json", "content-encoding": "identity"}
    body = b'{"query": "x"}' if path.endswith("lookup") else b'{"text": "x"}'
    assert served.client.post(path, content=body, headers=plain).status_code == 200


@pytest.mark.parametrize(
    ("media", "read"),
    [
        ("application/json", True),
        ('Application/JSON ; Charset="UTF-8"', True),
        ("application/json; version=1", True),
        ("application/json; charset=utf-8; profile=x", True),
        ("application/json; profile=x; charset=utf-16", False),
        ("application/json; charset=latin-1; charset=utf-8", False),
        ("application/jsonl", False),
        ("text/json", False),
        ("multipart/form-data; boundary=application/json", False),
    ],
)
def test_what_is_json_by_its_media_type(served, media, read):
    answer = served.client.post("/v1/enrich", content=b'{"text": "Panadol"}', headers={"content-type": media})
    assert answer.status_code == (200 if read else 415)


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/resolve", "/v1/enrich"])
def test_a_limit_has_its_number(served, path):
    assert problem(served.client.post(path, json={"text": "x" * 4001}), "limit")["limit"] == 4000
    history = [{"role": "user", "text": "x"}] * 41
    assert problem(served.client.post(path, json={"text": "x", "history": history}), "limit")["limit"] == 40
    assert problem(served.client.post("/v1/lookup", json={"query": "x" * 4001}), "limit")["limit"] == 4000


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/resolve", "/v1/enrich"])
def test_a_language_that_the_project_does_not_read_is_refused_with_those_it_does(served, path):
    for unknown in ("xx", "fr-BE", "english", "-", "EN" * 9):
        detail = problem(served.client.post(path, json=TURN | {"language": unknown}), "language")["detail"]
        assert "en, nl, vi" in detail
        assert f"{unknown}:" not in detail
    for known in ("en", "nl-BE", "VI", "vi_VN", "", None):
        assert served.client.post(path, json=TURN | {"language": known}).status_code == 200


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/lookup", "/v1/enrich"])
def test_an_empty_body_is_called_empty(served, path):
    answer = served.client.post(path, content=b"", headers={"content-type": "application/json"})
    assert "empty" in problem(answer, "malformed")["detail"]


def test_the_limits_are_the_projects(tmp_path):
    path = support.project(tmp_path, "[limits]\ntext = 10\nhistory = 1\nbody = 200\n")
    with support.Served(path) as one:
        assert "10" in problem(one.client.post("/v1/ask", json={"text": "x" * 11}), "limit")["detail"]
        assert problem(one.client.post("/v1/ask", json={"text": "x" * 300}), "body-size")["limit"] == 200
        assert "10" in problem(one.client.post("/v1/lookup", json={"query": "x" * 11}), "limit")["detail"]
        schema = one.client.get("/openapi.json").json()["components"]["schemas"]["TurnBody"]["properties"]
        assert (schema["text"]["maxLength"], schema["history"]["maxItems"]) == (10, 1)


def test_a_body_that_is_said_to_be_small_and_is_not(served):
    """In chunks there is no length to believe; what comes is counted."""

    def chunks():
        for _ in range(200):
            yield b"x" * 1000

    answer = served.client.post("/v1/ask", content=chunks(), headers={"content-type": "application/json"})
    problem(answer, "body-size")


def test_a_body_that_does_not_come():
    async def never():
        await asyncio.sleep(60)

    with pytest.raises(ProblemError) as error:
        asyncio.run(body.read(never, 10, 100, 0.01))
    assert error.value.kind == "body-timeout"


def test_a_body_that_drips_has_one_deadline_for_all_of_it():
    async def drip():
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    with pytest.raises(ProblemError) as error:
        asyncio.run(body.read(drip, None, 10**9, 0.1))
    assert error.value.kind == "body-timeout"


def test_a_client_that_hangs_up_is_gone():
    async def gone():
        return {"type": "http.disconnect"}

    with pytest.raises(body.Gone):
        asyncio.run(body.read(gone, 10, 100, 1))


# --- too many, too long --------------------------------------------------------------------------------------------

AWAITED = "[offline]\nenabled = false\n"  # a turn is awaited, and has no thread of its own


def post(path, content=b'{"text": "Panadol"}'):
    """A request to the application as a server hands it over."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
        "server": ("127.0.0.1", 1),
        "client": ("127.0.0.1", 2),
    }
    return scope, receive, send, sent


def test_when_all_places_are_taken_others_are_told_to_come_again(tmp_path, monkeypatch):
    path = support.project(tmp_path, "[serve]\nmax_asks = 2\nretry_after_s = 7\n" + AWAITED)
    one = support.Served(path)

    async def held():
        free = asyncio.Event()

        async def slow(turn, **_):
            await free.wait()
            return one.service.engine.ask(turn)

        monkeypatch.setattr(one.service.engine, "aask", slow)
        calls = [post("/v1/ask") for _ in range(3)]
        waiting = [asyncio.create_task(one.app(*call[:3])) for call in calls[:2]]
        await asyncio.sleep(0.01)
        await one.app(*calls[2][:3])
        other = post("/v1/enrich")
        await one.app(*other[:3])
        free.set()
        await asyncio.gather(*waiting)
        again = post("/v1/ask")
        await one.app(*again[:3])
        return [call[3][0] for call in (*calls, other, again)]

    first, second, refused, other, again = asyncio.run(held())
    assert (first["status"], second["status"], again["status"]) == (200, 200, 200)
    assert refused["status"] == 503
    assert (b"retry-after", b"7") in refused["headers"]
    assert other["status"] == 200  # those who need no model are not held up by those who wait for one


def test_an_answer_that_takes_too_long(tmp_path, monkeypatch):
    one = support.Served(support.project(tmp_path, "[serve]\nrequest_timeout_s = 0.05\n" + AWAITED))

    async def never(turn, **_):
        await asyncio.sleep(60)

    monkeypatch.setattr(one.service.engine, "aask", never)
    call = post("/v1/ask")
    asyncio.run(one.app(*call[:3]))
    assert call[3][0]["status"] == 504


def test_somebody_elses_deadline_is_not_told_as_this_services(tmp_path, monkeypatch):
    one = support.Served(support.project(tmp_path, AWAITED))

    async def late(turn, **_):
        raise TimeoutError

    monkeypatch.setattr(one.service.engine, "aask", late)
    call = post("/v1/ask")
    asyncio.run(one.app(*call[:3]))
    assert call[3][0]["status"] == 500


@pytest.mark.parametrize("path", ["/v1/ask/", "/v1//ask", "/v1/ask//"])
def test_however_a_path_is_written_it_waits_with_its_like(tmp_path, monkeypatch, path):
    one = support.Served(support.project(tmp_path, "[serve]\nmax_asks = 1\n" + AWAITED))

    async def held():
        free = asyncio.Event()

        async def slow(turn, **_):
            await free.wait()

        monkeypatch.setattr(one.service.engine, "aask", slow)
        calls = [post(path), post("/v1/ask")]
        waiting = asyncio.create_task(one.app(*calls[0][:3]))
        await asyncio.sleep(0.01)
        await one.app(*calls[1][:3])
        free.set()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return calls[1][3][0]["status"]

    assert asyncio.run(held()) == 503


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/version", "/metrics", "/openapi.json", "/css/base.css"])
def test_head_is_get_without_the_body(served, path):
    head, get = served.client.head(path), served.client.get(path)
    assert head.status_code == get.status_code == 200
    assert head.content == b""
    assert head.headers["content-type"] == get.headers["content-type"]


def test_head_is_refused_as_get_is(served):
    assert served.client.head("/nothing").status_code == 404
    refused = served.client.head("/v1/ask")
    assert (refused.status_code, refused.content) == (405, b"")
    assert "HEAD" in served.client.delete("/version").headers["allow"]
    assert "HEAD" not in served.client.delete("/v1/ask").headers["allow"]


def test_what_nobody_foresaw_is_a_problem_without_a_word_of_it(tmp_path, monkeypatch):
    one = support.Served(support.project(tmp_path))

    def broken(turn, **_):
        raise ValueError(turn.text)

    monkeypatch.setattr(one.service.engine, "enriched", broken)
    with one:
        answer = one.client.post("/v1/enrich", json={"text": support.TEXT})
    assert "log" in problem(answer, "failed")["detail"]
    assert support.SECRET not in answer.text + one.stream.getvalue()
    failed = next(line for line in one.log if line["event"] == "failed")
    assert failed["exception"] == "builtins.ValueError"
    assert failed["id"] == answer.headers["x-request-id"]


# --- who may call --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1.nip.io", "[::2]:80"])
def test_without_a_key_it_answers_to_this_machines_names_alone(served, host):
    problem(served.client.get("/version", headers={"host": host}), "host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9", "127.0.0.1:8080", "[::1]:8080"])
def test_the_names_of_this_machine(served, host):
    assert served.client.get("/version", headers={"host": host}).status_code == 200


def test_other_names_where_they_are_allowed(tmp_path, open_project):
    path = support.project(tmp_path, '[serve]\nallowed_hosts = ["dragoman.example"]\n')
    with support.Served(path) as one:
        assert one.client.get("/version", headers={"host": "dragoman.example:443"}).status_code == 200
        problem(one.client.get("/version", headers={"host": "localhost"}), "host")
    with support.Served(open_project, insecure=True) as one:
        assert one.client.get("/version", headers={"host": "anything.example"}).status_code == 200


def test_pages_of_other_sites_may_call_only_where_the_project_says_so(tmp_path):
    asked = {
        "origin": "https://www.example.org",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, content-type",
    }
    text, table = support.key()
    path = support.project(tmp_path, '[serve]\ncors_origins = ["https://www.example.org"]\n' + table)
    with support.Served(path) as one:
        before = one.client.options("/v1/ask", headers=asked)
        assert before.headers["access-control-allow-origin"] == "https://www.example.org"
        real = {"origin": "https://www.example.org", "x-api-key": text}
        answer = one.client.post("/v1/ask", json=TURN, headers=real)
        assert answer.headers["access-control-allow-origin"] == "https://www.example.org"
        other = one.client.options("/v1/ask", headers=asked | {"origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers


def test_without_cors_a_browser_is_told_nothing(served):
    asked = {"origin": "https://www.example.org", "access-control-request-method": "POST"}
    assert "access-control-allow-origin" not in served.client.options("/v1/ask", headers=asked).headers
