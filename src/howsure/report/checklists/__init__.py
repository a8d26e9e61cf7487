"""Checklists of reporting guidelines: which items the numbers of a report answer, and which are for the author."""
