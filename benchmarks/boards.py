"""Writes docs/boards: a board of all linear segmenters on each text of which_segmenter.py.

    python benchmarks/boards.py [--data FOLDER] [--resamples 9999]

Each segmenter is told how many segments the coders made. A board is what ``caesura score --save`` and
``caesura board`` write; the saved scores are written to build/boards. FOLDER is that of which_segmenter.py.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import caesura as cs
from caesura import cli
from caesura.analyses.saved_scores import SavedScores
from caesura.io.saved_files import write_saved
from which_segmenter import DATA, REPOSITORY, SEED, Data, linear_segmenters

SCORES, BOARDS = REPOSITORY / "build" / "boards", REPOSITORY / "docs" / "boards"
METRICS = ("B", "F", "WD", "Pk")


def write_board(data: Data, folder: Path, resamples: int) -> None:
    """Save the scores of every segmenter on a text, and write their board."""
    gold = data.read(folder)
    name = data.title.lower().replace("'", "").replace(" ", "-")
    scores = SCORES / name
    scores.mkdir(parents=True, exist_ok=True)
    machines = cs.segment(gold, linear_segmenters(are_told=True), "like", flat=True)
    for number, coder in enumerate(machines.coders):
        evaluation = cs.evaluate(gold, machines.select(coders=[coder]), METRICS, n_resamples=0)
        write_saved(SavedScores.of(evaluation), scores / f"{number}.json")
    board = BOARDS / f"{name}.html"
    board.parent.mkdir(exist_ok=True)
    options = ["--title", data.title, "--resamples", str(resamples), "--seed", str(SEED), "--force"]
    if cli.run(["board", str(scores), "-o", str(board), *options]) != 0:
        raise SystemExit(1)


def main() -> None:
    """Write all boards."""
    parser = argparse.ArgumentParser(description="Write docs/boards.")
    default = Path(os.environ.get("CAESURA_DATA") or REPOSITORY.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--resamples", type=int, default=9999)
    parser.add_argument("--only", default="", help="part of the title of the texts that are done")
    given = parser.parse_args()
    for data in DATA:
        if given.only in data.title:
            write_board(data, given.data, given.resamples)


if __name__ == "__main__":
    main()
