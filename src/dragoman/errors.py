"""Every error that dragoman raises on purpose.

::

    DragomanError                exit 2
    ├── ConfigError              the project file or a pack is wrong
    ├── DataError                a source file is wrong or missing
    ├── IndexUnusable            no index, or one that is stale, cut short or damaged
    │   └── IndexBusy            another build is writing it
    ├── BuildRefused             exit 1: a new index that is whole, but not good enough to take the old one's place
    ├── LimitExceeded            the caller sent more than the limits allow
    └── ServiceError             exit 3: something outside did not answer
        ├── ModelUnavailable     silence, refused connection, 429, 5xx
        ├── ModelMalformed       an answer that is no usable reply
        ├── ModelRefused         the provider declined
        ├── StoreUnavailable     an object store does not answer
        └── WorkFailed           a part of a batch failed again and again

Each says where the fault is (``file:line`` when there is one), what is wrong, and what to do. None of them ever
carries the text of the person who asks.
"""

from __future__ import annotations


class DragomanError(Exception):
    """The root: ``str(error)`` reads ``where: what; advice``.

    ``where`` is a path, ``path:line``, a key, or empty. ``retry`` says whether the same call may succeed later.
    """

    exit_code = 2
    retry = False
    advice = ""

    def __init__(self, what: str, *, where: str = "", advice: str | None = None) -> None:
        self.what = what
        self.where = where
        if advice is not None:
            self.advice = advice
        super().__init__(what)

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}; {self.advice}" if self.advice else text


class ConfigError(DragomanError):
    """The project file, a profile or a language pack says something that cannot be meant."""


class DataError(DragomanError):
    """A source file is missing, unreadable, or not of the format it is declared to be."""


class IndexUnusable(DragomanError):
    """There is no index, or the one there must not be trusted."""

    advice = "run `dragoman build`"


class BuildRefused(DragomanError):
    """A new index is whole, but fails the golden questions or has lost much; the old one stays in use."""

    exit_code = 1


class IndexBusy(IndexUnusable):
    """Another build is writing the index."""

    retry = True
    advice = "wait for it to end"


class LimitExceeded(DragomanError):
    """The caller sent more than ``[limits]`` allows; the message names the limit, and ``limit`` is its number."""

    def __init__(self, what: str, *, where: str = "", advice: str | None = None, limit: int | None = None) -> None:
        self.limit = limit
        super().__init__(what, where=where, advice=advice)


class ServiceError(DragomanError):
    """Something outside this process did not do its part.

    ``code`` is the frame's ``system_error`` that stands for it.
    """

    exit_code = 3
    retry = True
    code = ""


class ModelUnavailable(ServiceError):
    """The provider did not answer in time, refused the connection, or said 429 or 5xx."""

    advice = "check [llm] in the project file, or set on_outage = 'offline'"
    code = "understanding_provider_unavailable"


class ModelMalformed(ServiceError):
    """What came back is not a reply: no JSON, cut short, empty, HTML, or too large."""

    retry = False
    code = "understanding_malformed_output"


class ModelRefused(ServiceError):
    """The provider refused, or its content filter did."""

    retry = False
    code = "understanding_refused"


class StoreUnavailable(ServiceError):
    """The object store or file server refused the connection, the credentials, or the request."""

    advice = "check the address and the credentials, then run the same command again"


class WorkFailed(ServiceError):
    """A part of a batch ended its worker, or the engine gave it up, more often than is tried."""

    advice = "see the log; running the same command again goes on with what is left"
