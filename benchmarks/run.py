"""Run the benchmarks, us and the peers in one go, and write the result as JSON.

python benchmarks/run.py --data FOLDER --out benchmarks/results/NAME.json
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine, ours, peers
from benchmarks.cases import CASES, USUAL
from benchmarks.timing import CELLS, Settings, timed


def main(arguments: Sequence[str] | None = None) -> None:
    """Do as the command line says."""
    asked = _parser().parse_args(arguments)
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as toys:
        settings = Settings(
            asked.data,
            asked.repeats,
            asked.quick,
            asked.without,
            asked.kept,
            Path(toys) if asked.quick else CELLS,
        )
        peers.announce(settings)
        for result in run(settings, asked.only, command(asked), asked.out.name):
            asked.out.write_text(json.dumps(result, indent=1) + "\n")
        peers.announce(settings)
    _say(f"written to {asked.out}")


def run(
    settings: Settings, names: Sequence[str], said: str, file: str
) -> Iterator[dict[str, Any]]:
    """Results so far, after each case, with where and how they were made."""
    meta = {
        "file": f"benchmarks/results/{file}",
        "command": said,
        "commit": machine.commit(),
        "began": machine.now(),
        "repeats": settings.repeats,
        "quick": settings.quick,
        "load before": machine.load(),
        **machine.describe(),
        "warm-up seconds": ours.warm_up(),
    }
    cases: dict[str, Any] = {}
    for name in names:
        cases[name] = _answer(name, settings)
        meta |= {"ended": machine.now(), "load after": machine.load()}
        yield {"meta": meta, "cases": cases}


def command(asked: argparse.Namespace) -> str:
    """The command as anyone would give it: the folder of data by its variable."""
    parts = ["python benchmarks/run.py"]
    if asked.data:
        parts.append("--data $LEANTOPICS_DATA")
    parts.append(f"--out benchmarks/results/{asked.out.name}")
    parts.append(f"--repeats {asked.repeats}")
    if asked.only != list(USUAL):
        parts.append(f"--only {','.join(asked.only)}")
    if asked.without:
        parts.append(f"--without {','.join(sorted(asked.without))}")
    if asked.quick:
        parts.append("--quick")
    if asked.kept:
        parts.append("--kept")
    return " ".join(parts)


def _answer(name: str, settings: Settings) -> dict[str, Any]:
    _say(f"{name} ...")
    found: dict[str, Any] = {}
    load = machine.load()
    seconds = timed(lambda: found.update(CASES[name](settings)))
    _say(f"{name}: {seconds:.1f} s")
    return found | {"load before": load, "load after": machine.load()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="run.py", description="Measure leantopics and its peers."
    )
    parser.add_argument(
        "--data",
        type=Path,
        help="folder of the corpora; by default that of LEANTOPICS_DATA",
    )
    parser.add_argument("--out", type=Path, required=True, help="result file to write")
    parser.add_argument("--repeats", type=_positive, default=3)
    parser.add_argument(
        "--only",
        type=_cases,
        default=list(USUAL),
        metavar="CASE,...",
        help=f"some of: {', '.join(CASES)}; by default those that take no hours",
    )
    parser.add_argument(
        "--without",
        type=_peers,
        default=frozenset(),
        metavar="PEER,...",
        help=f"peers to leave out, of: {', '.join(peers.NAMES)}",
    )
    parser.add_argument(
        "--quick", action="store_true", help="toy sizes, to see that it runs"
    )
    parser.add_argument(
        "--kept",
        action="store_true",
        help="fit nothing in cases of cells: answer from what earlier runs kept",
    )
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {number}")
    return number


def _cases(text: str) -> list[str]:
    return _known(text, list(CASES))


def _peers(text: str) -> frozenset[str]:
    return frozenset(_known(text, list(peers.NAMES)))


def _known(text: str, names: Sequence[str]) -> list[str]:
    asked = text.split(",")
    for name in asked:
        if name not in names:
            raise argparse.ArgumentTypeError(
                f"{name!r} is not one of {', '.join(names)}"
            )
    return asked


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
