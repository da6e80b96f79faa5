"""``python -m leantopics`` is the command ``leantopics``."""

from leantopics.cli import main

if __name__ == "__main__":
    main(prog_name="leantopics")
