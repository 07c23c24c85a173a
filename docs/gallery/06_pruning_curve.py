"""Cross-validated error along the pruning path.

The band is one standard error; the 1-SE rule takes the smallest tree below the line.
"""

from sklearn.datasets import load_breast_cancer

from treewright import CARTClassifier

X, y = load_breast_cancer(return_X_y=True)
tree = CARTClassifier(prune="cost_complexity", pruning_rule="1se", cv=10, random_state=0).fit(X, y)
picture = tree.explain_pruning().to_svg()
