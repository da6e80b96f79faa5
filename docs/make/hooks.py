"""What the site needs beyond its pages: the reference, formulas, files of the root."""

import importlib
import re
from html import unescape

from latex2mathml.converter import convert
from mkdocs.structure.files import File

ROOT_PAGES = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
REFERENCE = {
    "models": (
        "Models",
        "leantopics: ParsimoniousTopicModel LDA SparseTopicalCoding load_model Checkpoint",
        "leantopics.ptm.em: Iteration",
        "leantopics.ptm.stability: Stability",
    ),
    "corpora": (
        "Corpora and text",
        "leantopics: Corpus read_corpus TextVectorizer",
        "leantopics.writers: write_corpus",
        "leantopics.readers: open_records",
        "leantopics.groups: topic_shares groups_of",
    ),
    "datasets": ("Datasets", "leantopics.datasets"),
    "evaluation": ("Evaluation", "leantopics.evaluation", "leantopics.quality: evaluate"),
    "report": (
        "Report",
        "leantopics.report",
        "leantopics.report.export: export to_pyldavis",
        "leantopics.report.figures: write_figures",
    ),
}
"""Pages of the reference: a title, then modules, with names or with all public ones."""


def on_files(files, config):
    for page, source in ROOT_PAGES.items():
        path = f"{config.docs_dir}/../{source}"
        files.append(File.generated(config, page, abs_src_path=path))
    for page, (title, *rooms) in REFERENCE.items():
        text = "\n".join([f"# {title}", *map(_entries, rooms)])
        files.append(File.generated(config, f"api/{page}.md", content=text))
    return files


def on_page_markdown(markdown, page, **_):
    """Turn links between the root and docs/ into links between pages."""
    if page.file.src_path in ROOT_PAGES:
        markdown = markdown.replace("](docs/", "](")
    for name, source in ROOT_PAGES.items():
        markdown = markdown.replace(f"](../{source}", f"]({name}")
    return markdown


def on_page_content(html, **_):
    """Replace TeX by MathML, which browsers draw by themselves."""
    return re.sub(
        r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', _formula, html, flags=re.S
    )


def _formula(match):
    display = "block" if match[1] == "div" else "inline"
    formula = convert(unescape(match[2]), display=display)
    return f'<{match[1]} class="formula">{formula}</{match[1]}>'


def _entries(room):
    module, _, names = room.partition(": ")
    listed = names.split() or importlib.import_module(module).__all__
    return "\n".join(f"\n::: {module}.{name}" for name in listed)
