"""What an index page links to, whatever else stands on it."""

from __future__ import annotations

from auto_benchmark.sources.papers.articles import linked, links_of
from auto_benchmark.sources.papers.blogs import parse_feed

ODD = ("http://[x", "//[", "https://[::1", "http://[v1.x]/")
FEED = """<rss version="2.0"><channel><title>b</title>{}<item><title>A paper of memory</title>
<link>https://b.example/a</link></item></channel></rss>"""


def test_a_link_that_is_none_hides_no_other() -> None:
    page = "".join(f'<a href="{link}">a title that is long enough</a>' for link in (*ODD, "/blog/one"))
    assert links_of(page.encode(), "https://b.example/blog/") == [
        ("https://b.example/blog/one", "a title that is long enough")
    ]
    assert linked("https://b.example/", "http://[x") == ""


def test_an_entry_with_an_odd_link_stops_no_feed() -> None:
    odd = "".join(f"<item><title>Entry of {link}</title><link>{link}</link></item>" for link in ODD)
    feed = parse_feed(FEED.format(odd).encode(), "application/rss+xml", "https://b.example/feed")
    assert feed is not None
    assert "https://b.example/a" in [paper.url for paper in feed.papers]
