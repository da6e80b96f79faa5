"""A small corpus with two subjects, and a way to run the command."""

import random
import re

from click.testing import CliRunner

from leantopics.cli import main

SUBJECTS = {
    "sea": "boats sailing waves harbours anchors tides sailors islands".split(),
    "wood": "trees leaves branches foxes mushrooms paths roots birds".split(),
}
SHARED = "the and with under over many some then".split()


def documents(n=40):
    """JSON records: 24 about the sea, 16 about the wood."""
    draw = random.Random(0)
    for d in range(n):
        subject = "wood" if d % 5 in (1, 3) else "sea"
        words = draw.choices(SUBJECTS[subject], k=25) + draw.choices(SHARED, k=15)
        draw.shuffle(words)
        split = "test" if d >= n - 4 else "train"
        text = " ".join(words)
        yield {"id": f"doc{d}", "text": text, "label": subject, "split": split}


def run(*arguments, input=None):
    runner = CliRunner(env={"FORCE_COLOR": None})
    arguments = [str(argument) for argument in arguments]
    return runner.invoke(main, arguments, input=input, prog_name="leantopics")


def timeless(text):
    return re.sub(r"\d+\.\d seconds", "S seconds", text)
