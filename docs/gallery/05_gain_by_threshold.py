"""The gain of every cut of one feature.

The maximum is the threshold of the tree; a flat top means that the threshold is uncertain.
"""

from sklearn.datasets import load_breast_cancer

from treewright import CARTClassifier
from treewright.plot import GainCurveDisplay

cancer = load_breast_cancer(as_frame=True)
tree = CARTClassifier(max_depth=3).fit(cancer.data, cancer.target)
picture = GainCurveDisplay.compute(tree, 0, "worst radius", cancer.data, cancer.target).to_svg()
