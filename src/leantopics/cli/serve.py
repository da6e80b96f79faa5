"""``leantopics serve``: inference over HTTP."""

from pathlib import Path
from typing import Any

import click

from leantopics.cli import show
from leantopics.cli.messages import tell
from leantopics.cli.options import (
    INFERENCE_OPTIONS,
    TOKENIZER_OPTION,
    model_argument,
    together,
)
from leantopics.cli.reading import load_with
from leantopics.cli.topics import topics_document
from leantopics.extras import check_extra
from leantopics.names import counted
from leantopics.server.limits import Limits

_USUAL = Limits()
_GRACE = 30.0
_WORDS = 10
_EXAMPLES = """\b
Examples:
  leantopics serve model
  leantopics serve model.zip --port 9000 --jobs 2
  curl localhost:8000/infer --json '{"texts": ["a text about boats"]}'
"""


def _host_names(
    context: click.Context, parameter: click.Parameter, names: tuple[str, ...]
) -> list[str]:
    """Check the names, which have neither a port nor a scheme."""
    from leantopics.server.hosts import host_name

    for name in names:
        if host_name(name) != name.lower():
            raise click.BadParameter(
                f"must be a name such as topics.example, without a port, got {name!r}."
            )
    return [name.lower() for name in names]


@click.command("serve", epilog=_EXAMPLES)
@model_argument
@click.option(
    "--host",
    default="127.0.0.1",
    help="Address to listen at (127.0.0.1, this machine).",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    metavar="N",
    help="Port to listen at; 0 is any that is free (8000).",
)
@click.option(
    "--allowed-host",
    "names",
    multiple=True,
    callback=_host_names,
    metavar="NAME",
    help="Name that requests may ask for, besides localhost; may be given again.",
)
@together("settings", INFERENCE_OPTIONS)
@together("cutting", TOKENIZER_OPTION)
@click.option(
    "--queue",
    type=click.IntRange(min=0),
    default=_USUAL.queue,
    metavar="N",
    help=f"Requests that may wait for a thread; others get 503 ({_USUAL.queue}).",
)
@click.option(
    "--timeout",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=_USUAL.seconds,
    metavar="S",
    help="Seconds for a request to arrive, as many to answer it, and as many for the "
    f"client to take the answer ({_USUAL.seconds:g}).",
)
@click.option(
    "--grace",
    type=click.FloatRange(min=0),
    default=_GRACE,
    metavar="S",
    help=f"Seconds to finish requests in after SIGTERM or Ctrl-C ({_GRACE:g}).",
)
@click.option(
    "--max-bytes",
    "body",
    type=click.IntRange(min=1),
    default=_USUAL.body,
    metavar="N",
    help=f"Bytes of a request; a larger one gets 413 ({_USUAL.body}). Eight times as "
    "many are held in memory at once.",
)
@click.option(
    "--max-documents",
    "documents",
    type=click.IntRange(min=1),
    default=_USUAL.documents,
    metavar="N",
    help=f"Documents of a request ({_USUAL.documents}).",
)
@click.option(
    "--max-characters",
    "characters",
    type=click.IntRange(min=1),
    default=_USUAL.characters,
    metavar="N",
    help=f"Characters of a text ({_USUAL.characters}).",
)
def command(
    model: Path,
    host: str,
    port: int,
    names: list[str],
    settings: dict[str, Any],
    cutting: dict[str, Any],
    grace: float,
    **limits: Any,
) -> None:
    """Answer questions about documents over HTTP with MODEL.

    POST /infer finds the topics of texts or counts; GET /topics, /model, /health,
    /ready and /openapi.json give the rest. SIGTERM and Ctrl-C let requests finish.
    There are no passwords and no encryption: to open it to other machines, put it
    behind a server that has them.
    """
    with show.waiting("loading"):
        check_extra("serve")
        import joblib

        from leantopics.describe import describe_model
        from leantopics.server.app import App
        from leantopics.server.hosts import Hosts
        from leantopics.server.inference import Inference
        from leantopics.server.run import listen, run

        loaded = load_with(model, settings)
        if cutting:
            loaded.use_tokenizer(**cutting)
        bounds = Limits(jobs=joblib.effective_n_jobs(loaded.n_jobs), **limits)
        topics = topics_document(loaded, _WORDS, "salience")
        infer = Inference(loaded)
        listening = listen(host, port)
        name, at = listening.getsockname()[:2]
        hosts = Hosts(name, names)
        app = App(infer, topics, describe_model(model), bounds, hosts)
    place = f"[{name}]" if ":" in name else name
    tell(f"Serving {model} at http://{place}:{at}; Ctrl-C ends it.")
    dropped = run(app, listening, bounds, grace, infer.warm_up)
    if dropped:
        tell(f"Not finished after {grace:g} seconds: {counted(dropped, 'request')}.")
