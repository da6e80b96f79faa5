"""Colours: seen on both papers, and told apart by colour-blind people."""

from itertools import combinations

import numpy as np

from leantopics.report.palette import PALETTE

SEEN_BY = {
    "all": np.eye(3),
    "few reds": [
        [0.152, 1.053, -0.205],
        [0.115, 0.786, 0.099],
        [-0.004, -0.048, 1.052],
    ],
    "few greens": [
        [0.367, 0.861, -0.228],
        [0.28, 0.673, 0.047],
        [-0.012, 0.043, 0.969],
    ],
}
"""Machado, Oliveira and Fernandes (2009): linear colours as colour-blind people see."""
LMS = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.63]]
LAB = [[0.2105, 0.7936, -0.0041], [1.978, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]


def linear(colour):
    values = np.array([int(colour[n : n + 2], 16) for n in (1, 3, 5)]) / 255.0
    return np.where(
        values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4
    )


def perceived(colour, seen):
    return LAB @ np.cbrt(LMS @ np.clip(seen @ linear(colour), 0.0, 1.0))


def test_colours_stand_out_from_white():
    for colour in PALETTE:
        luminance = linear(colour) @ [0.2126, 0.7152, 0.0722]
        assert 1.05 / (luminance + 0.05) >= 3.0, colour


def test_no_two_colours_look_alike_to_anybody():
    for who, seen in SEEN_BY.items():
        for one, two in combinations(PALETTE, 2):
            apart = perceived(one, np.array(seen)) - perceived(two, np.array(seen))
            assert np.linalg.norm(apart) > 0.07, (who, one, two)
