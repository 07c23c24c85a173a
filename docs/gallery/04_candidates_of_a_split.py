"""What every feature offered at the root.

The picture of `explain_split`: the best test of each feature, the chosen one marked. Five features are
nearly as good as the winner, which is why the root of such a tree changes with the rows.
"""

from sklearn.datasets import load_breast_cancer

from treewright import CARTClassifier

cancer = load_breast_cancer(as_frame=True)
tree = CARTClassifier().fit(cancer.data, cancer.target)
picture = tree.explain_split(0, cancer.data, cancer.target, top=8).to_svg()
