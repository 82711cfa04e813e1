"""Presentation: tables, figures and pages of results that were computed elsewhere."""
