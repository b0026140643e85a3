"""``safety-pack``: the report that a pharmacist signs for a release."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.options import PROJECT, AsJson, Project, Tenant, examples

if TYPE_CHECKING:
    from dragoman.engine import Dragoman
    from dragoman.evaluate.safety_pack import Pack


_FILES = ("safety-pack.md", "safety-pack.html", "safety-pack.json")


def safety_pack(
    out: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where safety-pack.md, .html and .json go; made if it is not there.")
    ] = Path("safety-pack"),
    golden: Annotated[
        Path | None,
        typer.Option("--golden", metavar="FILE", help="Golden questions; by default the project's golden.jsonl."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a report that is there.")] = False,
    project: Project = PROJECT,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Write the safety report of the index in use: names, must-not cases, collisions, look-alikes, known failures.

    Asks every name of the catalogue as it is written, in capitals, with slips of the pen and with endings that make
    another name of it, then the golden questions of the safety categories. No model is called. Exits with 1 where
    something must be mended or signed for by name. A report that is there is not written over unless told.
    """
    from dragoman.cli.output import complain, print_json
    from dragoman.engine import Dragoman
    from dragoman.errors import ConfigError, DataError
    from dragoman.evaluate import safety_report

    if not force and (there := [name for name in _FILES if (out / name).exists()]):
        other = f"{out.name or 'safety-pack'}-{date.today().isoformat()}"
        raise ConfigError(
            f"there is {there[0]} already, and it may be signed",
            where=str(out),
            advice=f"name another folder, such as {other}, or add --force",
        )
    engine = Dragoman.open(project, record=False, tenant=tenant)
    if not len(engine.vocabularies.drugs):
        raise ConfigError(
            "the project has no catalogue, and the pack is about drugs", where=str(project), advice="add [catalog]"
        )
    pack = made(engine, golden)
    try:
        out.mkdir(parents=True, exist_ok=True)
        texts = (safety_report.markdown(pack), safety_report.html(pack), _json(pack))
        for name, text in zip(_FILES, texts, strict=True):
            (out / name).write_text(text, "utf-8")
    except OSError as error:
        raise DataError(f"cannot be written ({error.strerror})", where=str(out), advice="choose another") from None
    if as_json:
        print_json(pack)
    else:
        _show(pack, out)
    for problem in pack.problems:
        complain(problem)
    if pack.problems:
        raise typer.Exit(1)


def made(engine: Dragoman, golden: Path | None) -> Pack:
    """The pack of an open project; ``DataError`` where the golden questions cannot be read."""
    import msgspec

    from dragoman._version import __version__
    from dragoman.cli.output import counter
    from dragoman.evaluate import cases, safety_pack
    from dragoman.evaluate.gate import safety
    from dragoman.evaluate.golden import run

    table, drugs, guarded_categories = safety_pack.settings(), engine.vocabularies.drugs, safety()
    report = _build_report(engine)
    names = safety_pack.names_of(drugs)
    chosen = safety_pack.sampled(names, table.most_names)
    known = _known(engine)
    with counter("names", len(chosen)) as tick:
        done = 0

        def resolve(text: str) -> Any:
            nonlocal done
            done += 1
            tick(min(done // 14, len(chosen)))
            return engine.resolve(text).candidates

        asked = safety_pack.ask_names(resolve, chosen, known, table, frozenset(report.get("guarded", ())))
    path = golden or engine.project.base / "golden.jsonl"
    offline = msgspec.structs.replace(engine.project, file=msgspec.structs.replace(engine.project.file, llm=None))
    asker = type(engine)(offline, engine.vocabularies)
    results = run(asker, cases.load(path)) if golden or path.is_file() else []
    held, failures = safety_pack.cases_of(results, guarded_categories)
    notes = []
    if not held:
        notes.append("No golden question of a safety category was asked: write some before signing.")
    if not known:
        notes.append("No names known elsewhere are listed, so that a drug that the catalogue lacks may pass unnamed.")
    if not report:
        notes.append("The build's own report is of another index: build again for collisions and guarded names.")
    info = engine.info
    return safety_pack.Pack(
        project=engine.project.name,
        profile=engine.project.profile.name,
        languages=tuple(pack.code for pack in engine.project.languages),
        index=info.id,
        built=_manifest(engine).get("built_at", ""),
        dragoman=__version__,
        sources=tuple((source.name, source.version or "") for source in info.sources),
        drugs=len(drugs),
        names=len(names),
        names_asked=len(chosen),
        known_names=len(known),
        asked=asked,
        collisions=tuple(
            (c["a"], c["b"], c.get("b_id") or "known elsewhere", ", ".join(c["rules"]))
            for c in report.get("collisions", ())
        ),
        ambiguous={name: tuple(ids) for name, ids in report.get("ambiguous", {}).items()},
        guarded=tuple(report.get("guarded", ())),
        pairs=safety_pack.look_alikes(chosen, drugs, table),
        cases=held,
        known_failures=failures,
        settings=_settings(engine),
        problems=tuple(safety_pack.problems_of(asked, held, failures, guarded_categories)),
        notes=tuple(notes),
    )


def _settings(engine: Dragoman) -> dict[str, str]:
    llm = engine.project.file.llm
    return {
        "who reads a turn": "rules on this machine" if llm is None else f"{llm.provider}, {llm.model}",
        "when the model does not answer": "–" if llm is None else llm.on_outage,
        "the person's text in logs": "kept" if engine.project.file.privacy.keep_text else "not kept",
    }


def _known(engine: Dragoman) -> tuple[str, ...]:
    table = engine.project.file.catalog
    if table is None or table.known is None:
        return ()
    lines = engine.project.at(table.known).read_text("utf-8-sig").splitlines()
    return tuple(dict.fromkeys(name for line in lines if (name := line.partition("#")[0].strip())))


def _build_report(engine: Dragoman) -> dict[str, Any]:
    """What the build said of the drugs, where the last build's index is the one in use."""
    import msgspec

    path = engine.vocabularies.place.parent / "report.json"
    if not path.is_file():
        return {}
    report = msgspec.json.decode(path.read_bytes())
    drugs: dict[str, Any] = report.get("drugs") or {}
    return drugs if report.get("id") == engine.info.id else {}


def _manifest(engine: Dragoman) -> dict[str, Any]:
    import msgspec

    found: dict[str, Any] = msgspec.json.decode((engine.vocabularies.place / "manifest.json").read_bytes())
    return found


def _json(pack: Pack) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(pack), indent=1).decode() + "\n"


def _show(pack: Pack, out: Path) -> None:
    from rich.table import Table

    from dragoman.cli.output import console

    table = Table("names", "asked", "right", "asked back", "another drug", box=None, pad_edge=False, padding=(0, 2))
    for asked in pack.asked:
        table.add_row(asked.kind, str(asked.asked), str(asked.right), str(asked.asked_back), str(len(asked.wrong)))
    to = console()
    to.print(table)
    failed = sum(not case.passed for case in pack.cases)
    to.print(
        f"must-not questions {len(pack.cases) - failed}/{len(pack.cases)}, known failures {len(pack.known_failures)}"
    )
    to.print(f"{out / 'safety-pack.md'}, .html, .json")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="safety-pack", epilog=examples("safety-pack"))(safety_pack)
