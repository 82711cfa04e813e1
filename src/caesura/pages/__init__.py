"""Pages: what was computed elsewhere as HTML without a network; results find here how they are drawn."""

from caesura.pages.report_page import charts, page, save

__all__ = ["charts", "page", "save"]
