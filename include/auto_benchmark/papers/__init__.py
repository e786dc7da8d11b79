"""Reads research: fetch, screen, extract, assess, act.

Others use ``ingest`` (the steps), ``feed`` (the steps when they are due), ``competitor_reports``, and ``extract`` with
``rules`` (papers from a file, without a database).
"""
