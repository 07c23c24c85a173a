"""Importances of a forest, with their spread over the trees.

Whiskers are one standard deviation over the trees: features that are copies of each other take turns.
"""

from sklearn.datasets import load_breast_cancer

from treewright import RandomForestClassifier
from treewright.plot import ImportanceDisplay

cancer = load_breast_cancer(as_frame=True)
forest = RandomForestClassifier(random_state=0).fit(cancer.data, cancer.target)
picture = ImportanceDisplay.compute(forest, top=10).to_svg()
