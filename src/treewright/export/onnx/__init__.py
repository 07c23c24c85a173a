"""A model as ONNX: trees as TreeEnsemble, everything around them as standard operators."""
