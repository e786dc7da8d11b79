"""arXiv e-prints: the LaTeX inside an archive that strangers made.

Nothing is ever written to disk: members are read into memory by name, so that no path leads anywhere. Only regular
files ending in ``.tex`` count; links and devices are passed over; every size is bounded before it is spent.
"""

from __future__ import annotations

import io
import re
import tarfile
import zlib

from auto_benchmark.errors import AutoBenchmarkError

LARGEST_UNPACKED = 48 * 2**20
LARGEST_FILE = 4 * 2**20
LARGEST_TEXT = 12 * 2**20
MOST_MEMBERS = 5_000
LONGEST_DOCUMENT = 1_500_000
"""Characters that are read; what comes after is appendix upon appendix."""
DEEPEST_INPUT = 6
_INPUT = re.compile(r"\\(?:input|include|subfile)\s*\{([^{}]{1,200})\}")


class NotReadable(AutoBenchmarkError):  # noqa: N818 - reads as what happened
    """The e-print holds no LaTeX that may be read; the message says why."""


def latex_of(content: bytes) -> str:
    """The whole document, each part in place of the command that includes it.

    Raises:
        NotReadable: no LaTeX (a PDF), damaged, or larger than an honest paper.
    """
    if content[:4] == b"%PDF":
        raise NotReadable("the e-print is a PDF")
    unpacked = _unpacked(content) if content[:2] == b"\x1f\x8b" else content
    files = _members(unpacked) if _is_tar(unpacked) else {"main.tex": unpacked}
    texts = {name: data.decode("utf-8", "replace") for name, data in files.items()}
    mains = [name for name, text in texts.items() if "\\documentclass" in text or "\\documentstyle" in text]
    if not mains and not any("\\begin{document}" in text for text in texts.values()):
        raise NotReadable("no LaTeX document inside")
    main = max(mains or texts, key=lambda name: ("\\begin{document}" in texts[name], len(texts[name])))
    return _joined(main, texts, DEEPEST_INPUT, {main})[:LONGEST_DOCUMENT]


def _unpacked(content: bytes) -> bytes:
    reader = zlib.decompressobj(wbits=31)
    try:
        unpacked = reader.decompress(content, LARGEST_UNPACKED)
    except zlib.error as error:
        raise NotReadable(f"damaged: {error}") from None
    if reader.unconsumed_tail or (not reader.eof and len(unpacked) >= LARGEST_UNPACKED):
        raise NotReadable(f"unpacks to more than {LARGEST_UNPACKED >> 20} MiB")
    return unpacked


def _is_tar(content: bytes) -> bool:
    return content[257:262] == b"ustar" or (len(content) > 1024 and b"\0" in content[:512])


def _members(content: bytes) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    total = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            for number, member in enumerate(archive):
                if number >= MOST_MEMBERS:
                    raise NotReadable(f"more than {MOST_MEMBERS} files")
                if not member.isreg() or not member.name.lower().endswith(".tex") or member.size > LARGEST_FILE:
                    continue
                file = archive.extractfile(member)
                data = file.read(LARGEST_FILE) if file else b""
                total += len(data)
                if total > LARGEST_TEXT:
                    raise NotReadable(f"more than {LARGEST_TEXT >> 20} MiB of LaTeX")
                found[_plain(member.name)] = data
    except (tarfile.TarError, OSError, EOFError, ValueError, OverflowError, RecursionError) as error:
        if not found:
            raise NotReadable(f"damaged: {error}") from None
    if not found:
        raise NotReadable("no LaTeX file inside")
    return found


def _plain(name: str) -> str:
    return re.sub(r"^(?:\./)+", "", name.replace("\\", "/")).lower()


def _joined(name: str, texts: dict[str, str], depth: int, seen: set[str]) -> str:
    def part(found: re.Match[str]) -> str:
        wanted = _plain(found[1].strip())
        wanted = wanted if wanted.endswith(".tex") else wanted + ".tex"
        if depth == 0 or wanted in seen or wanted not in texts:
            return ""
        seen.add(wanted)
        return _joined(wanted, texts, depth - 1, seen)

    return _INPUT.sub(part, _without_comments(texts[name]))


def _without_comments(text: str) -> str:
    return re.sub(r"(?<!\\)%[^\n]*", "", text)
