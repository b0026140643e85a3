"""Providers over the network, through pydantic-ai's direct request in native structured-output mode.

No agent, no tools, no instrumentation: one request, one reply, the schema enforced by the provider itself. Tool mode is
never used, since not every server holds tool parameters to their enums. The provider's library is imported with the
first call, so that nobody else pays for it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from dragoman.errors import ConfigError
from dragoman.models import bedrock, http
from dragoman.models.guard import Attempt, malformed, refused, unavailable
from dragoman.project_tables import LlmTable
from dragoman.protocols import Answered, Request, Usage

SCHEMA_NAME = "query_frame"
AZURE_HOSTS = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com", ".models.ai.azure.com")
CONTENT_FILTER_CODES = ("content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation")
# Reading a turn needs no long thought, and thoughts count against the length of the reply.
COMMON = {"thinking": False}
# For the libraries that would ask again on their own, and wait for it; the others do not, unless told to.
NO_RETRIES = {**COMMON, "max_retries": 0}
# What will meet every other request as well: no credentials, no such model, too many.
DOWN_STATUSES = (401, 403, 404, 408, 429)

# Loggers of the libraries below us. At DEBUG they write request bodies, which hold what the person asked.
CHATTY = ("openai", "anthropic", "google_genai", "httpx2", "httpcore2", "httpx", "httpcore", "boto3", "botocore")


class Connected(NamedTuple):
    """A model of pydantic-ai's, where it is, its settings for every call, and what to close in the end."""

    model: Any
    url: str
    settings: dict[str, Any]
    closes: Any = None


class Remote:
    """A ``Transport`` to one provider."""

    def __init__(self, connected: Connected, *, keep_text: bool = False) -> None:
        from pydantic_ai import direct, messages, models, output

        # Imported here rather than in ``send``, where it would count against the first call's deadline.
        self._request = direct.model_request
        self._message = messages.ModelRequest
        self._parts = {"system": messages.SystemPromptPart, "user": messages.UserPromptPart}
        self._parameters = models.ModelRequestParameters
        self._output = output.OutputObjectDefinition
        self._connected = connected
        self.host = urlsplit(connected.url).netloc.rpartition("@")[2]
        if not keep_text:
            _hush()

    async def send(self, request: Request, timeout_s: float) -> Answered:
        """See ``guard.Transport``."""
        message = self._message(parts=[self._parts[m.role](content=m.content) for m in request.messages])
        settings: Any = {"max_tokens": request.max_output_tokens, **self._connected.settings}
        output = self._output(json_schema=request.schema, name=SCHEMA_NAME, strict=True)
        watch = http.Watch(monotonic() + timeout_s)
        token = http.WATCH.set(watch)
        try:
            response = await self._request(
                self._connected.model,
                [message],
                model_settings=settings,
                model_request_parameters=self._parameters(output_mode="native", output_object=output),
                instrument=False,
            )
        except Exception as error:  # noqa: BLE001 - whatever a provider's library raises becomes one of three outcomes
            raise _attempt(error, watch.arrived) from None
        finally:
            http.WATCH.reset(token)
        return _answered(response)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._connected.closes is not None:
            await self._connected.closes.aclose()


def connect(llm: LlmTable, reply_limit: int, *, keep_text: bool = False) -> Remote:
    """A transport for ``[llm]``. ``reply_limit`` is the longest reply in characters.

    Raises ``ConfigError`` for a missing extra or key, and for a model that its provider cannot hold to a schema.
    """
    build, extra = PROVIDERS[llm.provider]
    try:
        connected = build(llm, http.cap_of(reply_limit))
    except ImportError as error:
        raise ConfigError(
            f"[llm] provider {llm.provider!r} needs a package that is not installed ({error.name})",
            advice=f"pip install 'dragoman[{extra}]'",
        ) from None
    if not connected.model.profile.get("supports_json_schema_output", False):
        raise ConfigError(
            f"[llm] {llm.provider} cannot hold {llm.model!r} to a JSON schema",
            advice="choose a model with native structured output",
        )
    return Remote(connected, keep_text=keep_text)


def api_key(llm: LlmTable, *fallbacks: str, needed: bool = True) -> str | None:
    """The key from the environment variable that ``[llm] api_key_env`` names, else the first of ``fallbacks`` set."""
    names = (llm.api_key_env,) if llm.api_key_env else fallbacks
    found = next((value for name in names if name and (value := os.environ.get(name))), None)
    if found is None and needed:
        raise ConfigError(
            f"[llm] the environment variable {' or '.join(n for n in names if n)} is not set",
            advice="set it to the provider's key, or name another with api_key_env",
        )
    return found


def _openai(llm: LlmTable, cap: int) -> Connected:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles import merge_profile
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.azure import AzureProvider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    client = http.client(cap, llm.timeout_s)
    url = llm.base_url
    settings: dict[str, Any] = dict(NO_RETRIES)
    provider: Any
    profile: Any
    if url is None or (urlsplit(url).hostname or "").endswith("api.openai.com"):
        provider = OpenAIProvider(base_url=url, api_key=api_key(llm, "OPENAI_API_KEY"), http_client=client)
        profile = provider.model_profile(llm.model)
    elif (urlsplit(url).hostname or "").endswith(AZURE_HOSTS):
        parts = urlsplit(url)
        version = parse_qs(parts.query).get("api-version", [None])[0]
        provider = AzureProvider(
            azure_endpoint=parts._replace(query="").geturl(),
            api_version=version,
            api_key=api_key(llm, "AZURE_OPENAI_API_KEY", "OPENAI_API_KEY"),
            http_client=client,
        )
        profile = provider.model_profile(llm.model)
    else:
        # Servers of one's own rarely ask for a key, unless the project names one; the library insists on any.
        key = api_key(llm, "OPENAI_API_KEY", needed=llm.api_key_env is not None) or "none"
        provider = OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key, http_client=client)
        # Whether such a server enforces a schema, its model's name does not tell: `probe` asks it.
        profile = merge_profile(
            provider.model_profile(llm.model),
            OpenAIModelProfile(supports_json_schema_output=True, openai_chat_supports_max_completion_tokens=False),
        )
    if not profile.get("thinking_always_enabled", False):  # those refuse to be told how to sample
        settings["temperature"] = 0.0
    model = OpenAIChatModel(llm.model, provider=provider, profile=profile)
    return Connected(model, provider.base_url, settings, client)


def _anthropic(llm: LlmTable, cap: int) -> Connected:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = http.client(cap, llm.timeout_s)
    provider = AnthropicProvider(api_key=api_key(llm, "ANTHROPIC_API_KEY"), base_url=llm.base_url, http_client=client)
    return Connected(AnthropicModel(llm.model, provider=provider), provider.base_url, NO_RETRIES, client)


def _gemini(llm: LlmTable, cap: int) -> Connected:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    client = http.client(cap, llm.timeout_s)
    provider = GoogleProvider(
        api_key=api_key(llm, "GOOGLE_API_KEY", "GEMINI_API_KEY"), base_url=llm.base_url, http_client=client
    )
    return Connected(GoogleModel(llm.model, provider=provider), provider.base_url, COMMON, client)


def _bedrock(llm: LlmTable, cap: int) -> Connected:
    from pydantic_ai.models.bedrock import BedrockConverseModel
    from pydantic_ai.providers.bedrock import BedrockProvider

    bearer = api_key(llm, "AWS_BEARER_TOKEN_BEDROCK", needed=llm.api_key_env is not None)
    provider = BedrockProvider(bedrock_client=bedrock.client(llm.base_url, bearer, llm.timeout_s, cap))
    return Connected(BedrockConverseModel(llm.model, provider=provider), provider.base_url, COMMON)


PROVIDERS: dict[str, tuple[Callable[[LlmTable, int], Connected], str]] = {
    "openai": (_openai, "llm"),
    "anthropic": (_anthropic, "llm-anthropic"),
    "bedrock": (_bedrock, "llm-bedrock"),
    "gemini": (_gemini, "llm-gemini"),
}


def _answered(response: Any) -> Answered:
    from pydantic_ai.messages import TextPart

    request_id = response.provider_response_id
    if response.finish_reason == "content_filter":
        raise refused("the provider refused, or its content filter did", request_id=request_id)
    if response.finish_reason == "length":
        raise malformed("the reply was cut short at max_output_tokens", request_id=request_id)
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    if not text.strip():
        raise malformed("the reply is empty", request_id=request_id)
    used = response.usage
    usage = Usage(input_tokens=used.input_tokens, output_tokens=used.output_tokens, cost_usd=_cost(response))
    return Answered(text=text, usage=usage, request_id=request_id)


def _cost(response: Any) -> float | None:
    """The price by the provider's public list, where the model stands on it."""
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        return None


def _attempt(error: Exception, arrived: bool) -> Attempt:
    """Which of the three outcomes an exception of the provider's library means; ``arrived``: a reply had begun.

    The exception's own words are dropped: they may quote request or reply.
    """
    from pydantic_ai import exceptions as ai

    cause = type(error).__name__
    if http.find(error, http.TooLarge):
        return malformed("the reply is larger than [limits] allow", cause=cause)
    if isinstance(error, ai.ModelTimeoutError) or http.find(error, http.TooLate):
        return unavailable("the provider was too slow", cause=cause)
    if isinstance(error, ai.ModelConnectionError):
        # A connection that was made and then broke may hold next time; one that was refused will not in a moment.
        broke = error.phase not in ("connect", "pool")
        return unavailable("the connection failed", again_s=0.0 if broke else None, cause=cause)
    if isinstance(error, ai.ModelHTTPError):
        return _of_status(error, cause)
    if isinstance(error, ai.ContentFilterError):
        return refused("the provider's content filter refused", cause=cause)
    if isinstance(error, ai.UserError):
        return unavailable("the provider's library refused the request as configured", trips=False, cause=cause)
    if isinstance(error, OSError):
        return unavailable("the connection failed", again_s=0.0, cause=cause)
    if not arrived:
        return unavailable("the provider's library could not send the request", trips=False, cause=cause)
    # Bodies that are not JSON, or JSON that is no completion, surface as many exceptions: decode errors, validation
    # errors, missing keys. What they share is that something came, and it was no reply.
    return malformed("what came back is not a reply", cause=cause)


def _of_status(error: Any, cause: str) -> Attempt:
    status: int = error.status_code
    request_id = (error.headers or {}).get("x-request-id") or (error.headers or {}).get("request-id")
    if error.provider_error_code in CONTENT_FILTER_CODES:
        return refused("the provider's content filter refused", request_id=request_id, cause=cause)
    return unavailable(
        f"the provider answered with status {status}",
        again_s=error.retry_after if status == 429 else None,
        trips=status >= 500 or status in DOWN_STATUSES,
        status=status,
        request_id=request_id,
        cause=cause,
    )


def _hush() -> None:
    """Keep the libraries' request bodies out of the log, unless someone has set their level on purpose."""
    for name in CHATTY:
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.INFO)
