"""What the site needs beyond its pages: formulas, and the files of the root."""

import re
from html import unescape

from latex2mathml.converter import convert
from mkdocs.structure.files import File

ROOT_PAGES = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
TEX = r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>'
THIN = '<mspace width="0.17em"/>'
IN_TEXT = r"<code>.*?</code>"  # blocks of code have lines
SILENT = r'\s*–\s*<div class="doc-md-description">\s*</div>'
BOOST = {"How to": 4, "Learn": 2, "Reference": 0.5, "Contribute": 0.25}
MOST = {"faq.md": 5}
"""How much the search prefers pages, or those of a section: answers before lists."""
OPTION = r"(?<![\w-])--?[a-z][\w-]*"


def on_files(files, config):
    for page, source in ROOT_PAGES.items():
        path = f"{config.docs_dir}/../{source}"
        files.append(File.generated(config, page, abs_src_path=path))
    return files


def on_page_markdown(markdown, page, **_):
    """Turn links between the root and docs/ into links between pages."""
    section = page.parent.title if page.parent else ""
    page.meta["search"] = {"boost": MOST.get(page.file.src_path, BOOST.get(section, 1))}
    root = "](" if page.file.src_path in ROOT_PAGES else "](../"
    for name, source in ROOT_PAGES.items():
        markdown = markdown.replace(f"{root}{source}", f"]({name}")
    return markdown.replace(f"{root}docs/", "](")


def on_page_content(html, **_):
    """Replace TeX by MathML, hold options together, drop dashes before nothing."""
    html = re.sub(TEX, _formula, html, flags=re.DOTALL)
    html = re.sub(IN_TEXT, _whole_options, html)
    return re.sub(SILENT, "", html)


def _whole_options(match):
    """Browsers would break a line after the hyphens of an option."""
    return re.sub(OPTION, r'<span class="whole">\g<0></span>', match[0])


def _formula(match):
    """MathML, which browsers draw by themselves."""
    display = "block" if match[1] == "div" else "inline"
    formula = convert(unescape(match[2]), display=display)
    formula = formula.replace("<mi>log</mi>", f"{THIN}<mi>log</mi>{THIN}")
    return f'<{match[1]} class="formula">{formula}</{match[1]}>'
