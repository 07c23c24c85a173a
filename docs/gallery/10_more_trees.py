"""More trees: training and out-of-bag accuracy.

The training curve is of no use; the out-of-bag one says when more trees stop helping.
"""

from sklearn.datasets import load_breast_cancer

from treewright import RandomForestClassifier
from treewright.plot import LearningDisplay

cancer = load_breast_cancer(as_frame=True)
forest = RandomForestClassifier(random_state=0).fit(cancer.data, cancer.target)
picture = LearningDisplay.compute(forest, cancer.data, cancer.target).to_svg()
