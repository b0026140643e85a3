"""``batch``: files of questions, on this machine or on a cluster's engine."""

from __future__ import annotations

from typing import Annotated

import typer

from dragoman.cli.options import PROJECT, AsJson, LanguageOption, Project, Tenant, Without, examples, switched_off


def batch(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN", help="A file or folder of JSONL, CSV or Parquet: a path, or s3://, gs://, abfs://."
        ),
    ],
    target: Annotated[str, typer.Argument(metavar="OUT", help="The folder of the parts, in the format of IN.")],
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help="[bold]local[/], [bold]ray[/] or [bold]spark[/].")
    ] = "local",
    task: Annotated[
        str,
        typer.Option(
            "--task", metavar="NAME", help="What is added: [bold]enrich[/], [bold]resolve[/] or [bold]understand[/]."
        ),
    ] = "enrich",
    text: Annotated[str, typer.Option("--text", metavar="COLUMN", help="The column that holds the texts.")] = "text",
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="jsonl, csv, tsv or parquet; else by the files' endings."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", min=1, help="At once; else one for each processor.")
    ] = None,
    part_rows: Annotated[
        int, typer.Option("--part-rows", metavar="N", min=1, help="Rows of a part: what is done, or done anew, as one.")
    ] = 20_000,
    index_store: Annotated[
        str | None,
        typer.Option(
            "--index-store", metavar="URL", help="Where workers fetch the index, if they do not see its folder."
        ),
    ] = None,
    max_rejects: Annotated[
        float,
        typer.Option("--max-rejects", metavar="SHARE", min=0, max=1, help="Exit with 1 where more rows are not taken."),
    ] = 0.0,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew instead of going on with what OUT holds.")] = False,
    language: LanguageOption = None,
    without: Without = None,
    project: Project = PROJECT,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Enrich a text column of any number of rows; may be stopped and gone on with.

    No model is asked. OUT becomes a folder of parts that other tools read as one; rows that cannot be read are in its
    _rejects, and _manifest.json accounts for every part. The result is the same with every engine.
    """
    from dragoman.batch.run import run
    from dragoman.cli.output import complain, print_json, progress_line
    from dragoman.engine import Dragoman

    with progress_line() as tell:
        done = run(
            Dragoman.open(project, record=False, tenant=tenant),
            project,
            source,
            target,
            task_name=task,
            text=text,
            language=language,
            without=switched_off(without),
            format=format,
            engine_name=engine,
            workers=workers,
            part_rows=part_rows,
            index_store=index_store,
            tenant=tenant,
            fresh=fresh,
            progress=lambda done, parts, rows: tell(f"{done} of {parts} parts, {rows:,} rows"),
        )
    if as_json:
        print_json(done)
    else:
        there = f", {done.already} were there" if done.already else ""
        complain(f"{done.rows:,} rows in {done.parts} parts of {done.target}{there}; {done.rejected:,} not taken")
    if done.rejected > max_rejects * (done.rows + done.rejected):
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=examples("batch"))(batch)
