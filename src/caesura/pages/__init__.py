"""Pages: results as HTML that needs no network."""

from caesura.pages.report_page import charts, page, save

__all__ = ["charts", "page", "save"]
