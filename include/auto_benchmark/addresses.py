"""URLs as they may be shown and stored: what may be a credential in them is for the request alone.

A credential is the login before the host and any value of the query: names of parameters do not tell which of them are
secret. A token in the path cannot be told from a path; it belongs into ``token_env`` or a Connection.
"""

from __future__ import annotations

import re
from urllib.parse import unquote, unquote_plus

HIDDEN = "***"
LONGEST_SHOWN = 200
SHORTEST_SECRET = 6
"""Characters. Shorter values of a query are words (``csv``) that a message may have of its own."""
_LOGIN = re.compile(r"(?<=//)[^/?#]*@")
_BEHIND_PATH = re.compile(r"[?#].*", re.DOTALL)
_PARAMETER = re.compile(r"(?<=[?#&;])(?P<name>[^=&;#?]*=)?(?P<value>[^&;#]+)")


def without_credentials(url: str) -> str:
    """The URL with ``***`` for the login and for each value of its query; a fragment counts as a query if it has one."""
    bare = _LOGIN.sub(f"{HIDDEN}@", url)
    return _BEHIND_PATH.sub(lambda rest: _PARAMETER.sub(_hidden, rest[0]), bare)


def shown(url: str) -> str:
    """A URL as messages show it: on one line, without credentials, and not endless."""
    text = without_credentials(url)[:LONGEST_SHOWN]
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def concealed(message: str, *urls: str | None) -> str:
    """A message without the credentials of these URLs, even one that a library wrote (a library names the whole address)."""
    for secret in sorted({s for url in urls if url for s in _secrets(url)}, key=len, reverse=True):
        message = message.replace(secret, HIDDEN)
    return message


def _hidden(found: re.Match[str]) -> str:
    is_anchor = found.string[found.start() - 1] == "#" and not found["name"]
    return found[0] if is_anchor else f"{found['name'] or ''}{HIDDEN}"


def _secrets(url: str) -> set[str]:
    login = _LOGIN.search(url)
    found = re.split("[:@]", login[0]) if login else []
    found += [p["value"] for rest in _BEHIND_PATH.findall(url) for p in _PARAMETER.finditer(rest)]
    spelled = {s for secret in found for s in (secret, unquote(secret), unquote_plus(secret))}
    return {secret for secret in spelled if len(secret) >= SHORTEST_SECRET}
