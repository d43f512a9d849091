"""A corpus as one page: a browser of its sentences, its statistics and its incidents.

    inputs     any file → sentences with their places
    data       sentences → compact chunks, which the page unpacks
    figures    statistics → charts and tables;  charts: matplotlib → SVG
    page       template.html, report.css, report.js and all of that → one HTML file

The page fetches nothing. The same input gives the same bytes.
"""

from sejongud.report.build import Options, make_report

__all__ = ["Options", "make_report"]
