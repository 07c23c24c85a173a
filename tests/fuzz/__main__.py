"""`make fuzz`: throw cases at the library for some minutes; exit with 1 when something was found."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.campaign import ROOT, Campaign
from tests.fuzz.targets import TARGETS


def main() -> int:
    """Run the targets one after the other, each for its share of the time."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="how long, all targets together")
    parser.add_argument("--seed", type=int, default=None, help="where to begin; without, anywhere")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--only", choices=sorted(TARGETS), action="append", help="some of the targets")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "found", help="where findings go")
    parser.add_argument("--run", type=Path, help="run a file that was found, instead")
    options = parser.parse_args()
    if options.run:
        folder, name = options.run.parent.name, options.run.name.rpartition("_")[0]
        name = folder if folder in TARGETS else name
        print(TARGETS[name].run(options.run.read_bytes()))
        return 0
    seed = time.time_ns() % 2**40 << 8 if options.seed is None else options.seed
    targets = [TARGETS[name] for name in options.only or TARGETS]
    print(
        f"seed {seed}, {options.minutes:g} minutes: {', '.join(target.name for target in targets)}",
        flush=True,
    )
    campaign = Campaign(options.folder)
    all_shares = sum(target.share for target in targets)
    for target in targets:
        campaign.run(target, seed, options.minutes * 60 * target.share / all_shares, options.jobs)
        counts = campaign.outcomes[target.name]
        words = ", ".join(f"{count} {word}" for word, count in counts.most_common())
        print(f"{target.name}: {counts.total()} cases: {words}", flush=True)
    for words, count in campaign.counts().most_common():
        print(f"{count} × {words}")
    if campaign.findings:
        print(f"Cases that went wrong are in {options.folder}; run one again with --run FILE.")
    return 1 if campaign.findings else 0


if __name__ == "__main__":
    sys.exit(main())
