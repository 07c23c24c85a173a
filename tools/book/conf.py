"""Sphinx's settings of the book; `python -m tools.book` makes the folder that it reads."""

from __future__ import annotations

from pathlib import Path

from treewright.version import VERSION

ROOT = Path(__file__).resolve().parents[2]

project = "Treewright"
author = "The Treewright authors"
copyright = author
release = version = VERSION

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "tools.book.docstrings", "tools.book.mathml"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
nitpicky = False
suppress_warnings = ["myst.strikethrough"]

myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc's sections say what a parameter is
autodoc_mock_imports = ["distributed", "dask"]  # the pages about a cluster are built without one
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = f"Treewright {VERSION}"
html_static_path = ["static"]
html_css_files = ["book.css"]
html_extra_path = [str(ROOT / "build" / "docs" / "extra")]
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
html_theme_options = {
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "header_links_before_dropdown": 8,
    "navigation_with_keys": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
pygments_style = "default"
