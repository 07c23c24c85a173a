"""How a forest comes to an answer: its votes.

The row of the test set that divides the trees most.
"""

from sklearn.datasets import load_breast_cancer

from treewright import RandomForestClassifier
from treewright.plot import VotesDisplay

cancer = load_breast_cancer(as_frame=True)
diagnosis = cancer.target.map({0: "malignant", 1: "benign"})
forest = RandomForestClassifier(random_state=0).fit(cancer.data[::2], diagnosis[::2])
unsure = forest.predict_proba(cancer.data[1::2])[:, 0]
row = cancer.data[1::2].iloc[[abs(unsure - 0.5).argmin()]]
picture = VotesDisplay.compute(forest, row).to_svg()
