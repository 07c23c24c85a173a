"""Without matplotlib: everything but drawing with it works, and what does not says what to install."""

import subprocess
import sys
import textwrap

HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib")

sys.meta_path.insert(0, Hidden())
"""


def run(code):
    return subprocess.run(
        [sys.executable, "-c", HIDE + textwrap.dedent(code)], capture_output=True, text=True, timeout=120
    )


def test_charts_are_svg_and_plots_say_what_is_missing():
    found = run(
        """
        from sklearn.datasets import load_iris
        import treewright
        from treewright.plot import DepthsDisplay, VotesDisplay
        X, y = load_iris(return_X_y=True)
        tree = treewright.CARTClassifier().fit(X, y)
        print(DepthsDisplay.compute(tree).to_svg()[:4])
        for call in (lambda: treewright.plot_depths(tree), lambda: treewright.plot_tree(tree)):
            try:
                call()
            except ImportError as error:
                print(error)
        """
    )
    assert found.stderr == ""  # and nothing has asked for matplotlib before
    assert found.stdout.splitlines() == [
        "<svg",
        'DepthsDisplay.from_estimator needs matplotlib. Run: pip install "treewright[plot]". '
        "Without it: DepthsDisplay.compute(…).to_svg().",
        'plot_tree needs matplotlib. Run: pip install "treewright[plot]". Without it: export_svg.',
    ]
