"""A fit in a process of its own that gets Ctrl-C after its second round."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

SCRIPT = """
import signal, numpy as np, treewright
signal.signal(signal.SIGINT, signal.default_int_handler)
X = np.random.RandomState(0).randn(20_000, 20)
y = {y}
booster = treewright.{name}(n_estimators=100_000, learning_rate=0.01, keep_partial={keep}, callbacks=[
    lambda now: print(now.round, flush=True) if now.round == 2 else None])
try:
    booster.fit(X, y)
    print("rounds", booster.n_iter_, len(booster.predict(X)))
except KeyboardInterrupt:
    print("interrupted", hasattr(booster, "model_"))
"""


def check_interrupt(name: str, keep: bool, y: str = "X[:, 0]") -> None:
    """Interrupt a booster's fit: it ends soon, with the finished rounds if they are to be kept."""
    script = SCRIPT.format(name=name, keep=keep, y=y)
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script], stdout=subprocess.PIPE, text=True, env=os.environ
    ) as process:
        # Whatever happens, the test ends; a busy machine may take a minute to load everything.
        guard = threading.Timer(180, process.kill)
        guard.start()
        assert process.stdout is not None
        assert process.stdout.readline() == "2\n"
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        words = process.stdout.readline().split()
        guard.cancel()
    assert time.monotonic() - begin < 10
    if keep:
        assert words[0] == "rounds" and int(words[1]) >= 2
    else:
        assert words == ["interrupted", "False"]
