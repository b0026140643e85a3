"""FHIR resources out of files: JSON, NDJSON and XML, single, in Bundles, in folders and zips, as one kind of tree.

A resource is a dictionary with ``resourceType``. What is one value in JSON is a list of one in XML, so read it with
``one`` and ``many``.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

from dragoman.errors import DataError
from dragoman.protocols import Report
from dragoman.readers.sources import Entry, lines, read_bytes

Node = dict[str, Any]
ENDINGS = (".json", ".ndjson", ".jsonl", ".xml")
NO_JSON = "the line is not a JSON object"


def many(node: Node, key: str) -> list[Node]:
    """The objects under a key."""
    value = node.get(key, [])
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]


def one(node: Node, key: str) -> str:
    """The text under a key (of the first of several), empty where there is none; booleans as FHIR writes them."""
    value = node.get(key)
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip() if isinstance(value, str | int | float) else ""


def resources(entry: Entry, report: Report) -> Iterator[tuple[int, Node]]:
    """``(line, resource)``; the line is 0 where a file is one document. Bundles are opened.

    Raises ``DataError`` where the file is no JSON or XML; a bad line of NDJSON is rejected.
    """
    ending = entry.name.lower().rpartition(".")[2]
    if ending in ("ndjson", "jsonl"):
        for number, line in enumerate(lines(entry), 1):
            if line.strip():
                node = _object(line)
                if node is None:
                    report.reject(str(entry), number, NO_JSON)
                else:
                    yield from ((number, resource) for resource in _opened(node))
        return
    try:
        node = _xml(entry) if ending == "xml" else _json(entry)
        found = list(_opened(node))
    except RecursionError:
        raise DataError("is nested too deeply", where=str(entry), advice="fetch the file again") from None
    yield from ((0, resource) for resource in found)


def _object(text: str) -> Node | None:
    try:
        node = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return node if isinstance(node, dict) else None


def _json(entry: Entry) -> Node:
    text = "".join(lines(entry))
    if not text.strip():
        read_bytes(entry)
    try:
        node = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{entry}:{error.lineno}"
        raise DataError(f"is not JSON ({error.msg})", where=where, advice="fetch the file again") from None
    except ValueError as error:  # an integer of more digits than Python converts
        raise DataError(f"is not JSON ({error})", where=str(entry), advice="fetch the file again") from None
    return node if isinstance(node, dict) else {}


def _xml(entry: Entry) -> Node:
    try:
        root = ET.fromstring(read_bytes(entry))
    except ET.ParseError as error:
        where = f"{entry}:{error.position[0]}"
        raise DataError(f"is not XML ({error.msg})", where=where, advice="fetch the file again") from None
    except (LookupError, ValueError) as error:  # an encoding that does not exist, or that expat cannot read
        raise DataError(f"is not XML ({error})", where=str(entry), advice="save the file as UTF-8") from None
    plain = _plain(root)
    return {**plain, "resourceType": _local(root.tag)} if isinstance(plain, dict) else {}


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _plain(element: ET.Element) -> Any:
    value = element.get("value")
    if value is not None:
        return value  # extensions of a primitive say nothing that a reader needs
    node: Node = {}
    for child in element:
        node.setdefault(_local(child.tag), []).append(_plain(child))
    return node


def _opened(node: Node) -> Iterator[Node]:
    if node.get("resourceType") != "Bundle":
        yield node
        return
    for entry in many(node, "entry"):
        for resource in many(entry, "resource"):
            if "resourceType" in resource:
                yield from _opened(resource)
            else:  # XML: the resource's type is the element inside
                for name, inner in resource.items():
                    for item in inner if isinstance(inner, list) else []:
                        if isinstance(item, dict):
                            yield from _opened({**item, "resourceType": name})
