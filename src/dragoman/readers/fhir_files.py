"""FHIR resources out of files: JSON, NDJSON and XML, single, in Bundles, in folders and zips, as one kind of tree.

A resource is a dictionary with ``resourceType``, whose values may be JSON that nobody has read yet: of a large file no
more is in memory than its bytes and the object at hand. What is one value in JSON is a list of one in XML, so read it
with ``one`` and ``many``.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from dragoman.errors import DataError
from dragoman.protocols import Report
from dragoman.readers.sources import Entry, is_utf8, lines, read_bytes

Node = dict[str, Any]
ENDINGS = (".json", ".ndjson", ".jsonl", ".xml")
NO_JSON = "the line is not a JSON object"
XML_MOST = 100_000_000  # bytes of an XML file: as a tree it takes ten times as much
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_HEAD = 4096  # bytes among which a document begins
_OPENS_LIST, _OPENS_OBJECT = b"[{"
_BYTE = re.compile(r"\(byte (\d+)\)")


class Many(Sequence[Node]):
    """The objects of a list, each read when it is asked for: of a file of a million concepts one at a time."""

    def __init__(self, items: list[Any]) -> None:
        self._items = [item for item in items if isinstance(item, dict) or _is_object(item)]

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, i: int) -> Node:  # type: ignore[override]  # slices are of no use here
        item = self._items[i]
        found: Node = item if isinstance(item, dict) else _OBJECT.decode(item)
        return found


def many(node: Node, key: str) -> Many:
    """The objects under a key."""
    value = _value(node.get(key, []))
    return Many(value if isinstance(value, list) else [value])


def one(node: Node, key: str) -> str:
    """The text under a key (of the first of several), empty where there is none; booleans as FHIR writes them."""
    value = _value(node.get(key))
    if isinstance(value, list):
        value = _value(value[0]) if value else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _value(value: Any) -> Any:
    """A value as it is used: what is still JSON is read, lists and objects to the depth of one."""
    if not isinstance(value, msgspec.Raw):
        return value
    first = memoryview(value)[0]
    if first == _OPENS_LIST:
        return _LIST.decode(value)
    if first == _OPENS_OBJECT:
        return _OBJECT.decode(value)
    try:
        return msgspec.json.decode(value)
    except msgspec.ValidationError:  # a number of more digits than there are
        return bytes(value).decode()


def _is_object(item: Any) -> bool:
    return isinstance(item, msgspec.Raw) and memoryview(item)[0] == _OPENS_OBJECT


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
        return _OBJECT.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


def _json(entry: Entry) -> Node:
    """The document at ``entry``: its bytes are held as they are, and read as far as they are asked for."""
    raw = read_bytes(entry).removeprefix(b"\xef\xbb\xbf")
    if not is_utf8(raw):
        for _ in lines(entry):  # knows the line
            pass
    try:
        if raw[:_HEAD].lstrip()[:1] != b"{":  # a list, or a single value, is no resource
            msgspec.json.decode(raw, type=msgspec.Raw)
            return {}
        return _OBJECT.decode(raw)
    except msgspec.DecodeError as error:
        found = _BYTE.search(str(error))
        line = raw.count(b"\n", 0, int(found[1])) + 1 if found else raw.count(b"\n") + 1
        raise DataError(f"is not JSON ({error})", where=f"{entry}:{line}", advice="fetch the file again") from None


def _xml(entry: Entry) -> Node:
    raw = read_bytes(entry)
    if len(raw) > XML_MOST:
        what = f"is XML of {len(raw) / 1e6:.0f} MB, which would be held in memory as a whole"
        raise DataError(what, where=str(entry), advice="fetch it as JSON or NDJSON")
    try:
        root = ET.fromstring(raw)
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
    kind = one(node, "resourceType")
    if kind != "Bundle":
        yield {**node, "resourceType": kind} if kind else node
        return
    for entry in many(node, "entry"):
        for resource in many(entry, "resource"):
            if "resourceType" in resource:
                yield from _opened(resource)
            else:  # XML: the resource's type is the element inside
                for name in resource:
                    for item in many(resource, name):
                        yield from _opened({**item, "resourceType": name})
