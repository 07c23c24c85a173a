"""Which features a forest asks at which depth.

The share of rows that meet a test of the feature, mean over all trees.
"""

from sklearn.datasets import load_wine

from treewright import RandomForestClassifier
from treewright.plot import DepthsDisplay

wine = load_wine(as_frame=True)
forest = RandomForestClassifier(random_state=0).fit(wine.data, wine.target)
picture = DepthsDisplay.compute(forest, top=8).to_svg()
