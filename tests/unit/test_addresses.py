"""What of a URL is shown and stored."""

import pytest

from auto_benchmark.addresses import concealed, shown, without_credentials


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://me:pw@x.org/a", "https://***@x.org/a"),
        ("https://t0ken@x.org/a?b=c", "https://***@x.org/a?b=***"),
        ("https://x.org/a?key=se/cret@1&page=2", "https://x.org/a?key=***&page=***"),
        ("https://x.org/a?s3cret", "https://x.org/a?***"),
        ("https://x.org/a?a=1;b=2#t=3", "https://x.org/a?a=***;b=***#t=***"),
        ("https://x.org/a?a=b=c", "https://x.org/a?a=***"),
        ("/board.json?api_key=k", "/board.json?api_key=***"),
        ("https://x.org/@me/a#table", "https://x.org/@me/a#table"),
        ("https://x.org/a?", "https://x.org/a?"),
        ("data/board.csv", "data/board.csv"),
    ],
)
def test_credentials_are_left_out(url, kept):
    assert without_credentials(url) == kept
    assert without_credentials(kept) == kept


def test_a_shown_url_is_one_short_line():
    assert shown("https://x.org/\x1b[2J\n" + "a" * 500) == "https://x.org/\ufffd[2J\ufffd" + "a" * 181


def test_a_message_of_a_library_is_cleared():
    url = "https://reader:p%40ssword@x.org/a?api_key=k3yk3yk3y&format=csv"
    told = "GET /a?api_key=k3yk3yk3y of reader with p@ssword (p%40ssword): no csv"
    assert concealed(told, url, None) == "GET /a?api_key=*** of *** with *** (***): no csv"
