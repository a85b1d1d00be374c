# The site of the manual: Sphinx reads what stage.py laid out. Nothing in it asks anything of elsewhere: fonts are
# the reader's own, the search runs in the browser, by files and over HTTP alike.
import os
from pathlib import Path

from docutils import nodes

project = "Rondo"
version = release = os.environ["RONDO_VERSION"]
author = copyright = "Rondo's authors"
extensions = ["myst_parser", "breathe"]
root_doc = "index"
source_suffix = {".md": "markdown"}
myst_heading_anchors = 3  # as repositories' pages have them
suppress_warnings = ["myst.header", "misc.highlighting_failure"]  # tables before headings; what Pygments cannot read
breathe_projects = {"rondo": str(Path(os.environ["RONDO_REFERENCE"]) / "xml")}
breathe_default_project = "rondo"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
primary_domain = "c"
highlight_language = "none"
html_theme = "furo"
html_title = f"Rondo {version}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_extra_path = ["files"]
html_copy_source = False
html_show_sphinx = False
html_use_index = True
html_last_updated_fmt = None
pygments_style = "friendly"
pygments_dark_style = "monokai"
html_theme_options = {"sidebar_hide_name": False, "navigation_with_keys": False}


def with_headings(app, doctree):
    """The header's groups become headings, in its order; a struct's members need none."""
    if app.env.docname != "reference":
        return
    header = Path(app.srcdir, "files/files/include/rondo/rondo.h.txt").read_text()
    sections = []
    for group in list(doctree.findall(nodes.container)):
        title = next((node for node in group.children if isinstance(node, nodes.rubric)), None)
        if title is None:
            continue
        group.remove(title)
        if isinstance(group.parent, nodes.section):
            group.parent.remove(group)
            section = nodes.section("", nodes.title("", title.astext()), *group.children,
                                    ids=[nodes.make_id(title.astext())])
            sections.append((header.find(title.astext()), section))
    doctree[0].extend(section for _, section in sorted(sections, key=lambda one: one[0]))


def setup(app):
    app.connect("doctree-read", with_headings, priority=400)  # before the contents are collected
