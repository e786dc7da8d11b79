"""Why a page without a filled table is refused: an error page, drawn by JavaScript, or simply none."""

from __future__ import annotations

from auto_benchmark.sources.page import Page
from auto_benchmark.tables.refusal import ReadRefused, Reason


def no_table(page: Page, empty: int = 0, blank: int = 0) -> ReadRefused:
    """The refusal of a page with ``empty`` tables, all of them without data, and ``blank`` rows in them."""
    scripts = page.text.lower().count("<script")
    if blank:
        text = (
            f"{page.seen} holds {empty} table(s) with {blank} rows and 0 numeric cells: skeletons that a script fills"
        )
        return ReadRefused(Reason.NO_SCORED_ROWS, f"{text}; the source probably needs method `api`")
    what = f"{page.seen} holds {empty or 'no'} table{'s without rows' if empty else ''} and {scripts} scripts"
    if page.looks_like_error:
        return ReadRefused(Reason.ERROR_PAGE, f"{what}; its title is that of an error or login page")
    if scripts:
        return ReadRefused(
            Reason.DRAWN_BY_JAVASCRIPT, f"{what}: drawn in the browser; find the data it loads and use method `api`"
        )
    return ReadRefused(Reason.NO_TABLE, what)
