"""``leantopics tree``: show how the topics of a model join into groups."""

from pathlib import Path
from typing import Any

import click

from leantopics.cli import options, show
from leantopics.cli.output import Column, print_json, print_rows, printing

_COLUMNS = (
    Column("groups", style="bold"),
    Column("price", piped=".1f", shown=",.0f", title="price in nats"),
    Column("share", piped=".4f", shown=".1%"),
    Column("topics"),
    Column("name", style="cyan"),
    Column("of", title="made of"),
)
_EXAMPLES = """\b
Examples:
  leantopics tree model
  leantopics tree model --newick > topics.nwk
"""


@click.command("tree", epilog=_EXAMPLES)
@options.model_argument
@click.option("--newick", is_flag=True, help="Print the tree in Newick format.")
@printing("Print the tree as nested JSON nodes.")
def command(model: Path, newick: bool, form: str) -> None:
    """Show how the topics of MODEL join into groups, the last join first.

    Each step joins the two groups whose join costs least: the cost is the rise of BIC,
    in nats. In a model with themes, the topics of each theme join before the themes do.
    """
    with show.waiting("joining topics"):
        from leantopics.models import load_model

        loaded = load_model(model)
        if not hasattr(loaded, "hierarchy"):
            kind = type(loaded).__name__
            raise ValueError(
                f"{model} is a model of class {kind}, whose topics have no prices to "
                "be joined at."
            )
        tree = loaded.hierarchy()
    if newick:
        print(tree.to_newick())
    elif form == "json":
        print_json(tree.to_dict())
    else:
        print_rows(form, _COLUMNS, _rows(tree))


def _rows(tree: Any) -> list[dict[str, Any]]:
    """One row for each join: the groups that are left, and what it made of what."""
    share, size = [*tree.shares.tolist()], [1] * tree.n_topics
    rows = []
    for step, (one, two) in enumerate(tree.children.tolist()):
        share.append(share[one] + share[two])
        size.append(size[one] + size[two])
        rows.append(
            {
                "groups": tree.n_topics - 1 - step,
                "price": float(tree.prices[step]),
                "share": share[-1],
                "topics": size[-1],
                "name": tree.names[tree.n_topics + step],
                "of": f"{tree.names[one]} + {tree.names[two]}",
            }
        )
    return rows[::-1]
