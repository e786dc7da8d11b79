"""Which entries bear our name, and which only look as if they did.

A name is ours when it differs from a declared one in case, spaces and footnote marks alone; a hyphen or underscore
between two letters is a space that somebody had to avoid. Everything else that looks like our name is somebody else's:
invisible characters, markup that was left in the text, other punctuation, combining marks, letters of another script or
width.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import lru_cache

from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.hidden import visible, without_hidden
from auto_benchmark.tables.markup import plain
from auto_benchmark.tables.naming import identity, without_footnotes

LONGEST_SHOWN = 120
"""Characters of an imitation that are shown."""
_COARSE = str.maketrans("01|i", "olll", "".join(c for c in map(chr, range(128)) if not c.isalnum() and c not in "+|"))
_SEPARATOR = re.compile(r"(?<=[^\W_])[-_](?=[^\W_])")
_MAY_HIDE = re.compile(r"[\[<&*_~`\\]|[^ -~]")
_DIGITS = str.maketrans("01|I", "olll")


class OurNames:
    """Our name on the boards and its aliases.

    Args:
        declared: the names, as the registry gives them.
    """

    def __init__(self, declared: Collection[str]) -> None:
        self.declared = tuple(declared)
        self._keys = {_key(name) for name in declared}
        self._likenesses = {key: name for name in reversed(self.declared) for key in _likenesses(name)}
        self._coarse = {_coarse(key) for key in self._likenesses}

    def borne_by(self, entry: Entry) -> bool:
        """Whether an entry's name, as the board writes it, is one of ours."""
        if entry.written is not None:
            return entry.written in self.declared
        name = entry.system
        if "^(" not in name and self._is_far_from(name):
            return False
        return _key(name) in self._keys or _key(without_footnotes([name])[0]) in self._keys

    def is_variation(self, entry: Entry) -> bool:
        """Whether an entry bears our name in an undeclared spelling."""
        return self.borne_by(entry) and (entry.written or entry.system) not in self.declared

    def imitated_by(self, entry: Entry) -> str | None:
        """The name of ours that an entry looks like without bearing it; None where it does not."""
        if self._is_far_from(entry.system):
            return None
        found = (self._likenesses[key] for key in _likenesses(entry.system) if key in self._likenesses)
        return None if self.borne_by(entry) else next(found, None)

    def _is_far_from(self, name: str) -> bool:
        """Whether a name of plain ASCII letters cannot be taken for ours: most are settled by this."""
        return _MAY_HIDE.search(name) is None and _coarse(name) not in self._coarse

    def with_imitations_renamed(self, entries: Iterable[Entry]) -> tuple[list[Entry], list[Entry]]:
        """Give imitations a name that shows what they are, so that nothing later takes them for ours.

        Returns:
            All entries in their order, and the imitations among them.
        """
        told: list[Entry] = []
        found: list[Entry] = []
        for entry in entries:
            imitated = self.imitated_by(entry)
            if imitated is not None:
                shown = visible(entry.written or entry.system)[:LONGEST_SHOWN]
                found.append(entry.model_copy(update={"system": f"{shown} (imitates {imitated})", "written": None}))
            told.append(entry if imitated is None else found[-1])
        return told, found


@lru_cache(maxsize=4096)
def _key(name: str) -> str:
    """The name without spaces and differences of case; characters that only Unicode's tables call equal stay apart.

    ``str.lower`` and normalisation would make the Kelvin sign a ``k``, and ``str.casefold`` a long s an ``s``.
    """
    name = _SEPARATOR.sub("", name)
    if name.isascii():
        return re.sub(r"[ \t\r\n]+", "", name).lower()
    if all(unicodedata.normalize("NFC", char) == char for char in name):
        name = unicodedata.normalize("NFC", name)
    return "".join(_lower(char) for char in name if char not in "\t\r\n" and unicodedata.category(char) != "Zs")


def _lower(char: str) -> str:
    lower = char.lower()
    return lower if char.isascii() or not lower.isascii() else char


def _coarse(text: str) -> str:
    """A quick first look at an ASCII name: equal for all that have a skeleton in common."""
    return text.lower().translate(_COARSE).replace("rn", "m")


@lru_cache(maxsize=4096)
def _likenesses(name: str) -> tuple[str, ...]:
    """What is left of a name when everything that the eye may overlook is taken away; its identity is among it.

    As in Unicode Technical Standard 39, look-alikes become one letter; done with and without regard to case, since
    ``I`` looks like ``l`` and ``i`` does not.
    """
    texts = [name]
    if _MAY_HIDE.search(name):
        texts += [without_hidden(name), without_hidden(plain(name))]
    found = [identity(name)]
    found += [_skeleton(t) for text in texts if any(map(str.isalnum, text)) for t in (text, text.lower())]
    return tuple(dict.fromkeys(found))


def _skeleton(text: str) -> str:
    if text.isascii():
        return identity(text.translate(_DIGITS)).replace("rn", "m")
    decomposed = unicodedata.normalize("NFKD", text)
    letters = "".join(_prototype(char) for char in decomposed if unicodedata.combining(char) == 0)
    return identity(letters.translate(_DIGITS)).replace("rn", "m")


@lru_cache(maxsize=1024)
def _prototype(char: str) -> str:
    """The ASCII letter or digit that a character can be mistaken for; itself where there is none."""
    if char.isascii():
        return char
    from confusable_homoglyphs.confusables import confusables_data

    alike = (str(found["c"]) for found in confusables_data.get(char, ()))
    return next((c for c in alike if c.isascii() and c.isalnum()), char)
