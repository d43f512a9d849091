"""Views of a corpus: one HTML page with its sentences, statistics and incidents; `sejongud show`.

    reading    any file → sentences with their places
    views      a sentence → its levels, entities and the treebank's own words
    chunks     sentences → packed data that the page unpacks
    charts     statistics → tables, which the page draws as charts
    page       template.html, report.css, report.js and all of that → one HTML file
    build      files → page
    drawing    a sentence → lines of a terminal;  tree: its dependency tree

The page fetches nothing. The same input gives the same bytes.
"""

from sejongud.report.build import ReportOptions, make_report

__all__ = ["ReportOptions", "make_report"]
