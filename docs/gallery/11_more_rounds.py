"""More rounds: training and validation loss of a booster.

The training loss falls for ever. The validation loss has a lowest point, and early stopping ends there.
"""

from sklearn.datasets import load_breast_cancer

from treewright import NewtonBoostingClassifier
from treewright.plot import LearningDisplay

X, y = load_breast_cancer(return_X_y=True)
booster = NewtonBoostingClassifier(n_estimators=60, learning_rate=0.2, max_depth=3)
booster = booster.fit(X[::2], y[::2], X_val=X[1::2], y_val=y[1::2])
picture = LearningDisplay.compute(booster).to_svg()
