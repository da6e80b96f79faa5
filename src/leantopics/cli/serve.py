"""``leantopics serve``: inference over HTTP."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics._extras import check_extra
from leantopics._words import counted
from leantopics.cli import options, show
from leantopics.cli.messages import tell
from leantopics.cli.reading import load_with
from leantopics.server.limits import Limits

if TYPE_CHECKING:
    from leantopics.text.words import Tokenizer

_USUAL = Limits()
_GRACE = 30.0
_WORDS = 10
_EXAMPLES = """\b
Examples:
  leantopics serve model
  leantopics serve model.zip --port 9000 --jobs 2
  curl localhost:8000/infer --json '{"texts": ["a text about boats"]}'
"""


def _host(name: str) -> str:
    """Check a name, which must have neither a port nor a scheme."""
    from leantopics.server.hosts import host_name

    if host_name(name) != name.lower():
        raise click.BadParameter(
            f"must be a name such as topics.example, without a port, got {name!r}."
        )
    return name.lower()


@click.command("serve", epilog=_EXAMPLES)
@options.model_argument
@click.option(
    "--host",
    default="127.0.0.1",
    help="Address to listen on (127.0.0.1, this machine only).",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    metavar="N",
    help="Port to listen on; 0 chooses a free one (8000).",
)
@click.option(
    "--allowed-host",
    "names",
    multiple=True,
    type=_host,
    metavar="NAME",
    help="Host name to accept in requests, besides localhost; may be repeated.",
)
@options.together("settings", options.INFERENCE_OPTIONS)
@options.tokenizer_option
@click.option(
    "--queue",
    type=click.IntRange(min=0),
    default=_USUAL.queue,
    metavar="N",
    help=f"Requests that may wait for a thread; more get 503 ({_USUAL.queue}).",
)
@click.option(
    "--timeout",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=_USUAL.seconds,
    metavar="S",
    help="Seconds for a request to arrive, the same again to answer it, and the same "
    f"again for the client to read the answer ({_USUAL.seconds:g}).",
)
@click.option(
    "--grace",
    type=click.FloatRange(min=0),
    default=_GRACE,
    metavar="S",
    help=f"Seconds to finish requests after SIGTERM or Ctrl-C ({_GRACE:g}).",
)
@options.positive(
    "--max-bytes",
    "body",
    default=_USUAL.body,
    help=f"Most bytes of a request; a larger one gets 413 ({_USUAL.body}). Together, "
    "requests may hold eight times as many in memory.",
)
@options.positive(
    "--max-documents",
    "documents",
    default=_USUAL.documents,
    help=f"Most documents of a request ({_USUAL.documents}).",
)
@options.positive(
    "--max-characters",
    "characters",
    default=_USUAL.characters,
    help=f"Most characters of a text ({_USUAL.characters}).",
)
def command(
    model: Path,
    host: str,
    port: int,
    names: tuple[str, ...],
    settings: dict[str, Any],
    tokenizer: "Tokenizer | None",
    grace: float,
    **limits: Any,
) -> None:
    """Infer topics with MODEL over HTTP.

    POST /infer returns the topics of texts or counts. GET /topics and /model describe
    the model, GET /health and /ready the server, and GET /openapi.json the interface.
    After SIGTERM or Ctrl-C, running requests are finished. There is no authentication
    and no encryption: to serve other machines, use a reverse proxy that has both.
    """
    with show.waiting("loading"):
        check_extra("serve")
        import joblib

        from leantopics.analysis.inspection import describe_model
        from leantopics.analysis.topics import topics_document
        from leantopics.server.app import App
        from leantopics.server.hosts import Hosts
        from leantopics.server.inference import Inference
        from leantopics.server.run import listen, run

        loaded = load_with(model, settings)
        if tokenizer is not None:
            loaded.use_tokenizer(tokenizer)
        bounds = Limits(jobs=joblib.effective_n_jobs(loaded.n_jobs), **limits)
        topics = topics_document(loaded, _WORDS, "salience")
        infer = Inference(loaded)
        listening = listen(host, port)
        name, at = listening.getsockname()[:2]
        hosts = Hosts(name, names)
        app = App(infer, topics, describe_model(model), bounds, hosts)
    place = f"[{name}]" if ":" in name else name
    tell(f"Serving {model} at http://{place}:{at}; press Ctrl-C to stop.")
    dropped = run(app, listening, bounds, grace, infer.warm_up)
    if dropped:
        tell(f"Not finished after {grace:g} seconds: {counted(dropped, 'request')}.")
