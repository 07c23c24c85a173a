"""The progress bar on standard error, and Ctrl-C."""

import io
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from tests.unit.forests.forest_data import FORESTS, noisy_table

from treewright import BaggingClassifier, C45Classifier, RandomForestClassifier
from treewright.fitting.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("cls", FORESTS)
def test_nothing_is_written_unless_asked_for(cls, capfd):
    X, y = noisy_table(cls)
    cls(n_estimators=3).fit(X, y)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("verbose", [1, True, 2])
@pytest.mark.parametrize("params", [{}, {"estimator": C45Classifier()}])
def test_progress_goes_to_standard_error_as_lines(params, verbose, capsys):
    X, y = noisy_table(BaggingClassifier)
    BaggingClassifier(n_estimators=20, verbose=verbose, **params).fit(X, y)
    out, error = capsys.readouterr()
    assert out == ""
    lines = error.splitlines()
    assert 1 <= len(lines) <= 10
    assert lines[-1].startswith("BaggingClassifier: 20 of 20 trees, ")
    assert "\r" not in error


def test_a_terminal_gets_one_line_that_is_rewritten(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    X, y = noisy_table(RandomForestClassifier)
    RandomForestClassifier(n_estimators=30, verbose=1).fit(X, y)
    text = terminal.getvalue()
    assert text.startswith("\r")
    assert text.count("\n") == 1
    assert text.endswith("]\n")
    assert "30 of 30 trees" in text


def test_after_an_error_no_half_line_is_left(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with pytest.raises(KeyboardInterrupt), Progress("Forest", 10, True) as progress:
        progress(3)
        raise KeyboardInterrupt
    last = terminal.getvalue().split("\r")
    assert last[-1] == ""
    assert last[-2].strip() == ""
    assert len(last[-2]) == len(last[-3])


def test_a_closed_or_missing_stream_does_not_stop_the_fit(monkeypatch):
    X, y = noisy_table(RandomForestClassifier)
    closed = io.StringIO()
    closed.close()
    for stream in (closed, None):
        monkeypatch.setattr(sys, "stderr", stream)
        assert len(RandomForestClassifier(n_estimators=12, verbose=1).fit(X, y).estimators_) == 12


INTERRUPTED = """
import sys, time
import numpy as np
from treewright import BaggingClassifier, C45Classifier, RandomForestClassifier
generator = np.random.default_rng(0)
X, y = generator.normal(size=(60_000, 10)), generator.integers(0, 2, 60_000)
forest = {make}
if {warm}:
    forest.set_params(n_estimators=1, warm_start=True).fit(X, y).set_params(n_estimators=5000)
print("growing", flush=True)
try:
    forest.fit(X, y)
except KeyboardInterrupt:
    print(time.time(), len(forest.estimators_) if hasattr(forest, "model_") else 0, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="needs signals")
@pytest.mark.parametrize("warm", [False, True])
def test_ctrl_c_stops_a_fit_soon_and_leaves_the_forest_as_it_was(warm):
    make = "RandomForestClassifier(n_estimators=5000, n_jobs=2, verbose=1)"
    run = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(make=make, warm=warm)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert run.stdout.readline() == "growing\n"
    time.sleep(0.7)
    sent = time.time()
    run.send_signal(signal.SIGINT)
    output, _ = run.communicate(timeout=30)
    stopped, trees = output.split()
    # The promise is 0.2 s on an idle machine; tests share it.
    assert float(stopped) - sent < 2.0
    assert int(trees) == (1 if warm else 0)


def test_a_fit_in_another_thread_works():
    X, y = noisy_table(RandomForestClassifier)
    found = []
    thread = threading.Thread(
        target=lambda: found.append(RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y))
    )
    thread.start()
    thread.join()
    same = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(found[0].predict_proba(X), same.predict_proba(X))
