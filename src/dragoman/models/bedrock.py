"""A Bedrock client whose replies end at a size and at a deadline.

boto3 reads whole bodies in a thread that nobody can stop: the async deadline of the call lets the caller go, and the
wrapped body lets the thread go.
"""

from __future__ import annotations

from typing import Any

from dragoman.errors import ConfigError
from dragoman.models.http import CappedRaw, arrived


def client(base_url: str | None, bearer: str | None, timeout_s: float, cap: int) -> Any:
    """A ``bedrock-runtime`` client: no retries of its own, and at most ``cap`` bytes a reply.

    ``bearer`` is a Bedrock API key; without one, credentials are AWS's own affair (environment, profile, role), as the
    region is. Raises ``ConfigError`` where that does not suffice.
    """
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError

    options: dict[str, Any] = {
        "connect_timeout": timeout_s,
        "read_timeout": timeout_s,
        "retries": {"total_max_attempts": 1, "mode": "standard"},
    }
    if bearer is not None:
        options["signature_version"] = "bearer"
    try:
        session = boto3.Session(botocore_session=_bearer_session(bearer)) if bearer else boto3.Session()
        made = session.client("bedrock-runtime", endpoint_url=base_url, config=Config(**options))
    except BotoCoreError as error:
        raise ConfigError(
            f"[llm] the AWS client cannot be made ({type(error).__name__})",
            advice="set AWS_DEFAULT_REGION and credentials as for any AWS tool",
        ) from None
    # The one private name we lean on: botocore has no public way to wrap a body before it is read.
    http_session = made._endpoint.http_session

    def send(request: Any, **_: Any) -> Any:
        request.stream_output = True  # else the body is read whole before anyone can count it
        response = http_session.send(request)
        arrived()
        response.raw = CappedRaw(response.raw, cap)
        return response

    made.meta.events.register("before-send.bedrock-runtime.*", send)
    return made


def _bearer_session(token: str) -> Any:
    from botocore.session import Session
    from botocore.tokens import FrozenAuthToken

    class BearerSession(Session):  # type: ignore[misc]  # botocore has no types
        def get_auth_token(self, **_: Any) -> Any:
            return FrozenAuthToken(token)

        def get_credentials(self) -> None:
            return None

    return BearerSession()
