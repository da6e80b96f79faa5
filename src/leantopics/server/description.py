"""The description of the server in OpenAPI, for programs that write clients."""

from typing import Any

from leantopics._limits import MOST_COUNT
from leantopics.server.limits import Limits

_TYPES = {str: "string", int: "integer", float: "number", dict: "object"}
Schema = dict[str, Any]


def describe(limits: Limits, takes_texts: bool) -> Schema:
    """Return the OpenAPI description under these limits.

    Examples
    --------
    >>> sorted(describe(Limits(), takes_texts=True)["paths"])[:3]
    ['/health', '/infer', '/model']
    """
    ways = ["Texts", "Counts"] if takes_texts else ["Counts"]
    requests = {"Texts": _texts(limits), "Counts": _counts(limits)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "leantopics",
            "version": "1",
            "summary": "Topics of documents under one model.",
            "license": {"name": "BSD-3-Clause", "identifier": "BSD-3-Clause"},
        },
        "servers": [{"url": "/"}],
        "security": [],
        "paths": {
            "/infer": {"post": _infer()},
            "/topics": _page("topics", "The topics and their salient words.", "Topics"),
            "/model": _page(
                "model", "What the model is, and its settings.", "TopicModel"
            ),
            "/health": _page("health", "Whether the server is alive.", "Alive"),
            "/ready": _page(
                "ready", "Whether /infer accepts requests.", "Ready", "503"
            ),
            "/openapi.json": _page("openapi", "This description.", "Description"),
        },
        "components": {
            "schemas": {
                "Documents": {"oneOf": [_ref("schemas", way) for way in ways]},
                **{way: requests[way] for way in ways},
                **_ANSWERS,
            },
            "responses": {
                name: _refusal(status, text)
                for status, (name, text) in _REFUSALS.items()
            },
        },
    }


def _ref(kind: str, name: str) -> Schema:
    return {"$ref": f"#/components/{kind}/{name}"}


def _of(kind: type, description: str | None = None, **more: Any) -> Schema:
    about = {} if description is None else {"description": description}
    return {"type": _TYPES[kind], **about, **more}


def _list(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def _object(fields: Schema, *optional: str, **more: Any) -> Schema:
    required = [name for name in fields if name not in optional]
    return {"type": "object", "properties": fields, "required": required, **more}


def _json(schema: Schema) -> Schema:
    return {"content": {"application/json": {"schema": schema}}}


def _refusal(status: str, description: str) -> Schema:
    headers = {name: {"schema": of} for name, of in _HEADERS.get(status, {}).items()}
    more = {"headers": headers} if headers else {}
    return {"description": description, **_json(_ref("schemas", "Error")), **more}


def _responses(answer: str, *refusals: str) -> Schema:
    good = {"description": "The answer.", **_json(_ref("schemas", answer))}
    every = ("400", "405", "421", "431")
    codes = sorted((*every, *refusals))
    refused = {code: _ref("responses", _REFUSALS[code][0]) for code in codes}
    return {"200": good, **refused}


def _page(name: str, summary: str, answer: str, *refusals: str) -> Schema:
    responses = _responses(answer, *refusals)
    return {"get": {"operationId": name, "summary": summary, "responses": responses}}


def _infer() -> Schema:
    return {
        "operationId": "infer",
        "summary": "The topics of each document, in the order of the request.",
        "description": "Text is split into words as it was for the fit; words that the "
        "model does not know are left out.",
        "requestBody": {"required": True, **_json(_ref("schemas", "Documents"))},
        "responses": _responses("Inferred", "413", "415", "500", "503"),
    }


def _texts(limits: Limits) -> Schema:
    texts = _list(
        _of(str, maxLength=limits.characters),
        maxItems=limits.documents,
        examples=[["a text about boats"]],
    )
    return _object({"texts": texts}, additionalProperties=False)


def _counts(limits: Limits) -> Schema:
    count = _of(float, minimum=0, maximum=int(MOST_COUNT))
    meaning = "How often each word occurs; counts below 1e-9 are ignored."
    counts = _list(
        _of(dict, meaning, additionalProperties=count),
        maxItems=limits.documents,
        examples=[[{"boats": 2, "waves": 1}]],
    )
    return _object({"counts": counts}, additionalProperties=False)


_PAIR = _list(
    _of(float, minimum=0),
    description="The number of the topic, and its proportion.",
    minItems=2,
    maxItems=2,
)
_PAIRS = _list(
    _PAIR,
    description="Topics of a document, largest first; empty if it has no word that the "
    "model knows.",
)
_TOPIC = _object(
    {
        "topic": _of(int, minimum=0),
        "name": {
            "type": "string",
            "description": "A given name, or characteristic words.",
        },
        "share": _of(float, "Of all words of the training documents."),
        "documents": _of(int, "Training documents in which it is present."),
        "words": _list(_object({"word": _of(str), "salience": _of(float)})),
    }
)
_ANSWERS: Schema = {
    "Inferred": _object({"topics": _list(_PAIRS)}, additionalProperties=False),
    "Topics": _object(
        {
            "n_topics": _of(int, minimum=1),
            "n_documents": _of(int),
            "bic": {"type": ["number", "null"]},
            "topics_per_document": _of(float),
            "topics": _list(_TOPIC),
            "shared_words": _list(_of(str)),
        },
        *("n_documents", "bic", "topics_per_document", "shared_words"),
    ),
    "TopicModel": _object(
        {
            "class": _of(str),
            "words": _of(int),
            "n_topics": _of(int),
            "counted_from": {"enum": ["text", "counts"]},
            "settings": _of(dict),
        }
    ),
    "Alive": _object({"status": {"const": "alive"}}),
    "Ready": _object({"status": {"const": "ready"}}),
    "Description": _object({"openapi": _of(str), "paths": _of(dict)}),
    "Error": _object({"error": _of(str, "One sentence.")}, additionalProperties=False),
}
_REFUSALS = {
    "400": ("Wrong", "Not HTTP, or a body that is not of this form."),
    "405": ("WrongMethod", "A method that this path does not take."),
    "413": ("TooLarge", "Too many bytes, documents, characters or counts."),
    "415": ("WrongType", "A content type other than application/json."),
    "421": ("WrongHost", "A name that this server does not answer to."),
    "431": ("LongHeaders", "Too many bytes of headers."),
    "500": ("Fault", "An error of the server."),
    "503": ("Busy", "Not ready, too many requests at once, or out of time."),
}
_HEADERS = {
    "405": {"Allow": _of(str)},
    "503": {"Retry-After": _of(str, "Seconds to wait.", pattern="^[0-9]+$")},
}
