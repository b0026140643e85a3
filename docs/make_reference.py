"""Writes the generated pages of ``reference/``: ``python docs/make_reference.py``.

Each page is made of what it describes: the commands, the structs and their docstrings, the table of layers, the golden
questions of the demos. The same code gives the same pages; a test compares them.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import typer

from dragoman import folder, project_tables, readers, types
from dragoman.cli.app import typer_app
from dragoman.cli.options import EXIT_CODES
from dragoman.enrich.layers import LAYERS
from dragoman.enrich.work import FEATURES

FOLDER = Path(__file__).parent / "reference"
FOOT = "\nThis page is written by `docs/make_reference.py`.\n"
ENOUGH = 5  # cases of a field below which the page says so
DEMOS = ("hospital", "formulary")


def pages() -> dict[Path, str]:
    """The text of each page."""
    made = {
        "cli.md": _cli(),
        "project-file.md": _project_file(),
        "types.md": _types(),
        "layers.md": _layers(),
        "golden-fields.md": _golden_fields(),
    }
    return {FOLDER / name: text.rstrip("\n") + "\n" + FOOT for name, text in made.items()}


# --- commands ------------------------------------------------------------------------------------------------------


def _cli() -> str:
    root = typer.main.get_command(typer_app)
    lines = [
        "# Commands",
        "",
        EXIT_CODES,
        "With `--json` one document stands on stdout, and nothing else; progress is on stderr.",
    ]
    for name, command in _commands(root, ""):
        lines += ["", f"## dragoman {name}", "", _paragraphs(command.help or ""), "", *_parameters(command)]
        shown = re.findall(r"\[dim\]\$\[/\] (.+)", command.epilog or "")
        if shown:
            lines += ["", "```", *(f"$ {line.strip()}" for line in shown), "```"]
    return "\n".join(lines)


def _commands(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            if command.invoke_without_command:  # it does something of its own
                yield f"{prefix}{name}", command
            yield from _commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


def _parameters(command: Any) -> list[str]:
    rows = ["| | | default |", "|---|---|---|"]
    for one in command.params:
        is_argument = one.param_type_name == "argument"
        value = one.metavar or (None if getattr(one, "is_flag", False) else one.type.name.upper())
        says = (value or str(one.name).upper()) if is_argument else ", ".join(one.opts) + (f" {value}" if value else "")
        default = one.default if isinstance(one.default, str | int | float | Path) else None
        plain = "" if default is None or isinstance(default, bool) or str(default) == "" else f"`{default}`"
        required = "required" if one.required else plain
        rows.append(f"| `{says}` | {_cell(getattr(one, 'help', None) or '')} | {required} |")
    return rows if len(rows) > 2 else ["It has no options."]


# --- structs -------------------------------------------------------------------------------------------------------


def _project_file() -> str:
    file = msgspec.structs.fields(project_tables.ProjectFile)
    lines = [
        "# The project file",
        "",
        "`dragoman.toml`. Paths are relative to its folder. A key that is not listed here is an error that names the",
        "nearest right one; only `[[terminology]]` takes further keys, which are options of the format's reader.",
    ]
    for field in file:
        table = _struct_in(field.type)
        if table is None:
            raise TypeError(f"{field.name} is no table")
        many = "tuple" in str(field.type)
        named = "dict" in str(field.type)
        title = f"[[{field.name}]]" if many else f"[{field.name}.NAME]" if named else f"[{field.name}]"
        says = re.sub(r"^`\[[\w.]+\]`[:.] ?", "", _paragraphs(table.__doc__ or ""))
        lines += ["", f"## `{title}`", "", says[:1].upper() + says[1:], "", *_fields(table)]
    lines += ["", "## Formats of `[[terminology]]`", ""]
    for name in sorted(readers.READERS):
        lines.append(f"- `{name}`: {_first_sentence(_reader_doc(name))}")
    lines += ["", "## What the names may be", ""]
    lines.append(f"- `languages`: {_names(folder.PACKAGE / 'languages', 'pack.toml', {folder.EVERYWHERE})}")
    lines.append(f"- `profile`: {_names(folder.PACKAGE / 'profiles', 'profile.toml', set())}, or a folder of your own")
    return "\n".join(lines)


def _reader_doc(name: str) -> str:
    module = getattr(readers.READERS[name], "module", name)
    source = (folder.PACKAGE / "readers" / f"{module}.py").read_text("utf-8")
    doc = ast.get_docstring(ast.parse(source)) or ""
    return re.sub(r"^Formats? [^:]+: ", "", doc)


def _names(path: Path, file: str, without: set[str]) -> str:
    return ", ".join(f"`{p.name}`" for p in sorted(path.iterdir()) if (p / file).is_file() and p.name not in without)


def _types() -> str:
    lines = ["# Types", "", _paragraphs(inspect.getdoc(types) or ""), "", "## Closed sets of words", ""]
    lines += ["| name | values |", "|---|---|"]
    for name, value in vars(types).items():
        if str(value).startswith("typing.Literal["):
            lines.append(f"| `{name.rstrip('_')}` | {', '.join(f'`{v}`' for v in value.__args__)} |")
    for name, value in vars(types).items():
        if isinstance(value, type) and issubclass(value, msgspec.Struct) and value.__module__ == types.__name__:
            fields = _fields(value)
            if len(fields) > 2:
                lines += ["", f"## {name}", "", _paragraphs(value.__doc__ or ""), "", *fields]
    return "\n".join(lines)


def _fields(struct: type[msgspec.Struct]) -> list[str]:
    rows = ["| field | type | default |", "|---|---|---|"]
    shown = inspect.get_annotations(struct)
    for field in msgspec.structs.fields(struct):
        if field.required:
            default = "required"
        elif field.default is msgspec.NODEFAULT or isinstance(field.default, msgspec.Struct):
            default = "empty"
        else:
            default = f"`{_toml(field.default)}`"
        rows.append(f"| `{field.name}` | `{_cell(str(shown.get(field.name, field.type)))}` | {default} |")
    return rows


def _toml(value: object) -> str:
    return "none" if value is None else json.dumps(list(value) if isinstance(value, tuple) else value)


def _struct_in(type_: Any) -> type[msgspec.Struct] | None:
    for part in (type_, *getattr(type_, "__args__", ())):
        if isinstance(part, type) and issubclass(part, msgspec.Struct):
            return part
    return None


# --- layers --------------------------------------------------------------------------------------------------------


def _layers() -> str:
    lines = [
        "# Enrichment layers",
        "",
        "In order of quality. A span of the text that a lower rank has served is not offered to a higher one.",
        "`--without`, and `without` in `[enrich]`, switch off layers and features by these names.",
        "",
        "| rank | layer | what it offers | looks at |",
        "|---|---|---|---|",
    ]
    for layer in LAYERS:
        run = layer.run or layer.whole
        if run is None:
            raise TypeError(f"the layer {layer.name} does nothing")
        where = "each span" if layer.run else "the whole turn"
        lines.append(f"| {layer.rank} | `{layer.name}` | {_cell(inspect.getdoc(run) or '')} | {where} |")
    for layer in LAYERS:
        module = inspect.getmodule(layer.run or layer.whole)
        doc = inspect.getdoc(module) or ""
        rest = _paragraphs(doc).partition("\n\n")[2] if module and layer.name in module.__name__ else ""
        if rest:
            lines += ["", f"`{layer.name}`: {rest}"]
    lines += ["", "Features of matching that can be switched off as well:", ""]
    for name, why in FEATURES.items():
        shown = ", ".join(f"`{w}`" for w in why)
        lines.append(f"- `{name}`" + (f": candidates whose `why` begins with {shown}" if shown else ""))
    return "\n".join(lines)


# --- golden questions ----------------------------------------------------------------------------------------------


def _golden_fields() -> str:
    counts = {demo: _count(demo) for demo in DEMOS}
    lines = [
        "# What the golden questions assert",
        "",
        "How many golden questions of the two demos (`src/dragoman/demo/*/golden.jsonl`) assert each field of the",
        "frame: *positive*, a value; *null*, that there is none (null, false, an empty list, `none`).",
        f"Bold: fewer than {ENOUGH} in both demos together.",
        "",
        "| field | " + " | ".join(f"{demo} positive | {demo} null" for demo in DEMOS) + " |",
        "|---|" + "---:|" * 2 * len(DEMOS),
    ]
    for field in _frame_fields():
        cells = []
        for demo in DEMOS:
            for sign in (True, False):
                total = sum(counts[d][field, sign] for d in DEMOS)
                number = counts[demo][field, sign]
                if field in _ALWAYS and not sign:
                    cells.append("–")
                else:
                    cells.append(f"**{number}**" if total < ENOUGH else str(number))
        lines.append(f"| `{field}` | " + " | ".join(cells) + " |")
    cases = ", ".join(f"{counts[demo]['cases', True]} in the {demo}'s set" for demo in DEMOS)
    lines += ["", f"Questions that assert anything of the frame: {cases}."]
    return "\n".join(lines)


_PARTS: dict[str, type[msgspec.Struct]] = {
    "condition": types.Condition,
    "patient_context": types.PatientContext,
    "entities": types.Entities,
}
_ALWAYS = {"turn_type", "understood_by"}  # there is no frame without these


def _frame_fields() -> Iterator[str]:
    for field in msgspec.structs.fields(types.QueryFrame):
        yield field.name
        if field.name in _PARTS:
            yield from (f"{field.name}.{below.name}" for below in msgspec.structs.fields(_PARTS[field.name]))


def _count(demo: str) -> Counter[tuple[str, bool]]:
    counts: Counter[tuple[str, bool]] = Counter()
    golden = folder.PACKAGE / "demo" / demo / "golden.jsonl"
    for line in golden.read_text("utf-8").splitlines():
        frame = json.loads(line)["expect"].get("frame") if line.strip() else None
        if not frame:
            continue
        counts["cases", True] += 1
        for name, value in frame.items():
            counts[name, _says(value)] += 1
            if value is None and name in _PARTS:  # a condition that is not there has no name either
                counts.update((f"{name}.{below.name}", False) for below in msgspec.structs.fields(_PARTS[name]))
            if isinstance(value, dict):
                for below, inner in value.items():
                    counts[f"{name}.{below}", _says(inner)] += 1
    return counts


def _says(value: object) -> bool:
    if isinstance(value, dict):
        return any(_says(inner) for inner in value.values())
    return value not in (None, False, "none", [])


# --- text ----------------------------------------------------------------------------------------------------------


def _paragraphs(text: str) -> str:
    """A docstring or help as Markdown, without the markup of terminals and of reStructuredText."""
    plain = re.sub(r"\[/?(?:bold|dim)?\]", "", inspect.cleandoc(text)).replace("``", "`")
    return "\n\n".join(" ".join(part.split()) for part in plain.split("\n\n"))


def _cell(text: str) -> str:
    return _paragraphs(text).replace("\n\n", " ").replace("|", "\\|")


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=\.)\s", _paragraphs(text), maxsplit=1)[0]


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, "utf-8")
