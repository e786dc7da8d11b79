"""YAML and JSON documents that know on which line each value stands.

PyYAML's node tree carries line numbers; pydantic's errors carry the path of the faulty value. Joining the two gives
messages of the form ``file:line: field: message``. Parsing is safe (no tags that build objects), refuses duplicate
keys, and never resolves anything outside the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from auto_benchmark.errors import ConfigError, Fault, InputError
from auto_benchmark.spelling import closest, did_you_mean
from auto_benchmark.text_file import text_of

Path = tuple[str | int, ...]


class Strict(BaseModel):
    """Base of every declared shape: unknown keys are refused, values cannot be reassigned."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=True)

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Contradictions between values that are each valid: the path of one of them, and what is wrong."""
        yield from ()


ModelT = TypeVar("ModelT", bound=Strict)
ResultT = TypeVar("ResultT")


class FieldError(ValueError):
    """What a validator of a whole model finds wrong with one of its fields: the fault stands at that field."""

    def __init__(self, name: str, message: str) -> None:
        self.name = name
        super().__init__(message)


SHAPES = {
    r"^[a-z][a-z0-9_]{0,62}$": "lower-case letters, digits and _, a letter first, at most 63 characters",
    r"^[A-Za-z][A-Za-z0-9_]{0,62}$": "letters, digits and _, a letter first, at most 63 characters",
    r"^[^\x00-\x1f/\\]+$": "a name without slashes, backslashes and control characters",
    r"^[^\x00]*$": "text without NUL, which no database holds",
    r"^[0-9a-f]{64}$": "a SHA-256 checksum, 64 of 0-9 and a-f",
}
"""What regular expressions of declared fields mean, in words."""
LONGEST_MESSAGE = 300
"""Characters; a fault may quote what stands in the file."""


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document: its data and the 1-based line of every path in it."""

    file: str
    data: Any
    lines: dict[Path, int] = field(default_factory=dict)

    def line_of(self, path: Path) -> int | None:
        """Line of the deepest known ancestor of ``path`` (labels that pydantic adds for unions are skipped)."""
        return self.lines.get(self.known_path(path))

    def known_path(self, path: Path) -> Path:
        """``path`` without the labels that pydantic adds for unions."""
        known: Path = ()
        for part in path:
            if (*known, part) in self.lines:
                known = (*known, part)
        return known


def on_one_line(file: str, data: Any, line: int = 1) -> Document:
    """Data that stand on one line of a file, or on none: each fault can still name its field."""
    lines: dict[Path, int] = {}
    ahead: list[tuple[Path, Any]] = [((), data)]
    while ahead:  # what a stranger sends may be nested deeper than Python may call
        place, value = ahead.pop()
        lines[place] = line
        named = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        ahead += [((*place, name), inner) for name, inner in named]
    return Document(file, data, lines)


class _Loader(yaml.SafeLoader):
    """Safe loader to which ``1e-4`` is a number, as in YAML 1.2 and JSON; YAML 1.1 wants ``1.0e-4``."""


class _FastLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The same by libyaml, where PyYAML was built with it: six times as fast, but terse about what is wrong."""


class _Dumper(yaml.SafeDumper):
    """Writes what :class:`_Loader` reads back as it was: the text ``1e-4`` in quotes."""


EXPONENT = re.compile(r"^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+$")
for _side in (_Loader, _FastLoader, _Dumper):
    _side.add_implicit_resolver("tag:yaml.org,2002:float", EXPONENT, list("-+.0123456789"))


def alias_budget(text: str) -> int:
    """Values that a document's aliases may make of it."""
    return max(10_000, 20 * len(text))


def _values(node: yaml.Node, known: dict[int, int]) -> int:
    """Number of a node's values with every alias written out; ``known`` remembers those of nodes seen before."""
    if id(node) in known:
        return known[id(node)]
    count = 1
    if isinstance(node, yaml.MappingNode):
        count += sum(1 + _values(value, known) for _, value in node.value)
    elif isinstance(node, yaml.SequenceNode):
        count += sum(_values(item, known) for item in node.value)
    known[id(node)] = count
    return count


def _walk(node: yaml.Node, path: Path, file: str, lines: dict[Path, int], faults: list[Fault]) -> None:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        seen: dict[str, int] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            line = key_node.start_mark.line + 1
            if key in seen and key != "<<":
                faults.append(
                    Fault(file, line, dotted((*path, key)), f"duplicate key, first given on line {seen[key]}")
                )
            seen.setdefault(key, line)
            lines[(*path, key)] = line
            _walk(value_node, (*path, key), file, lines, faults)
    elif isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            _walk(item, (*path, i), file, lines, faults)


def parse_yaml(text: str, file: str) -> Document:
    """Parse YAML (JSON is a subset) and note the line of every value.

    Args:
        text: the document.
        file: its name, for messages.

    Raises:
        ConfigError: on syntax errors, tabs used as indentation, duplicate keys or unknown tags.
    """
    try:
        loader, node = _composed(text)
        lines: dict[Path, int] = {}
        faults: list[Fault] = []
        if node is None:
            return Document(file, None, {(): 1})
        if _values(node, {}) > alias_budget(text):
            raise ConfigError([Fault(file, None, "", "its aliases multiply it: written out it would be far longer")])
        _walk(node, (), file, lines, faults)
        if faults:
            raise ConfigError(faults)
        return Document(file, loader.construct_document(node), lines)
    except yaml.YAMLError as error:
        raise ConfigError([syntax_fault(error, text, file)]) from None
    except (ValueError, OverflowError) as error:  # e.g. the date 2026-02-31
        raise ConfigError([Fault(file, None, "", f"a value cannot be read: {error}")]) from None
    except RecursionError:
        raise ConfigError([Fault(file, None, "", "nested too deeply")]) from None


def _composed(text: str) -> tuple[Any, yaml.Node | None]:
    """A loader and the nodes of a text; what libyaml refuses, PyYAML's own parser reads or explains.

    Raises:
        YAMLError: the text is not YAML.
        RecursionError: it is nested too deeply.
    """
    try:
        fast = _FastLoader(text)
        return fast, fast.get_single_node()
    except (yaml.YAMLError, UnicodeError):
        plain = _Loader(text)
        return plain, plain.get_single_node()


def storable(text: str) -> str:
    """The text with U+FFFD for what UTF-8 or a database cannot hold: halves of surrogate pairs, and NUL."""
    if text.isascii() and "\0" not in text:
        return text
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\0", "\ufffd")


def to_yaml(data: Any) -> str:
    """Plain data as block-style YAML, keys in their order."""
    return yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)


def syntax_fault(error: yaml.YAMLError, text: str, file: str) -> Fault:
    """What is wrong with a text that is not YAML, and on which line."""
    if isinstance(error, yaml.reader.ReaderError):
        at = error.position if isinstance(error.position, int) else 0
        name = f"U+{error.character:04X}" if isinstance(error.character, int) else repr(error.character)
        return Fault(file, text.count("\n", 0, at) + 1, "", f"not valid YAML: the character {name} is not allowed")
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark else None
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    source = text.splitlines()
    if line is not None and line <= len(source) and re.match(r"[ ]*\t", source[line - 1]):
        problem = "tab used for indentation; YAML wants spaces"
    return Fault(file, line, "", f"not valid YAML: {problem}")


def read(path: FilePath, *, shown_as: str | None = None) -> Document:
    """Read one YAML or JSON file.

    Raises:
        ConfigError: when the file is missing, too large, not UTF-8, or not valid YAML.
    """
    shown = shown_as or str(path)
    return parse_yaml(text_of(path, shown), shown)


def validate(model: type[ModelT], document: Document) -> ModelT:
    """Turn a document into a model.

    Raises:
        ConfigError: one fault per problem, each with its line and dotted field.
    """
    data = document.data
    if not isinstance(data, dict):
        what = "is empty" if data is None else f"should be a mapping, is {kind(data)}"
        raise ConfigError([Fault(document.file, 1, "", what)])
    try:
        valid = model.model_validate(data)
    except ValidationError as error:
        raise ConfigError(_faults(error, document, model)) from None
    contradictions = [
        Fault(document.file, document.line_of(path), dotted(path), shortened(message))
        for path, message in valid.problems()
    ]
    if contradictions:
        raise ConfigError(contradictions)
    return valid


def load(model: type[ModelT], path: FilePath, *, shown_as: str | None = None) -> ModelT:
    """Read and validate one file. Raises ConfigError as :func:`read` and :func:`validate` do."""
    return validate(model, read(path, shown_as=shown_as))


def located(document: Document, path: Path, load: Callable[[], ResultT]) -> ResultT:
    """What ``load`` returns; what it cannot find is a fault of ``document`` at ``path``.

    Raises:
        ConfigError: faults of other files stay theirs.
    """
    try:
        return load()
    except ConfigError:
        raise
    except InputError as error:
        raise ConfigError([Fault(document.file, document.line_of(path), dotted(path), str(error))]) from None


def dotted(path: Path) -> str:
    """``('boards', 0, 'url')`` -> ``boards[0].url``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else str(part))
    return text


def _faults(error: ValidationError, document: Document, model: type[BaseModel]) -> list[Fault]:
    """One fault per place: the alternatives of a union are joined, and the deepest one speaks for its parents."""
    messages: dict[Path, list[str]] = {}
    errors = error.errors(include_url=False)
    places = [document.known_path(item["loc"]) for item in errors]
    misspelt = _misspelt(errors)
    for item, place in zip(errors, places, strict=True):
        path, message = place, plain(item)
        if item["type"] == "value_error" and isinstance(found := item["ctx"]["error"], FieldError):
            path = (*path, found.name)
        elif item["type"] == "missing":
            if item["loc"] in misspelt:
                continue  # it is there under another spelling, and that is the fault
            path = (*path, item["loc"][-1])
        elif item["type"] == "extra_forbidden":
            message = "unknown key" + did_you_mean(str(item["loc"][-1]), _keys_of(model))
        elif item["type"].endswith("_type") and isinstance(item["input"], dict) and _says_more(places, path):
            continue  # "not a string" about a mapping whose own fields are reported
        if (message := shortened(message)) not in messages.setdefault(path, []):
            messages[path].append(message)
    deepest = {p: m for p, m in messages.items() if not any(q != p and q[: len(p)] == p for q in messages)}
    return sorted(
        Fault(document.file, document.line_of(path), dotted(path), "; or ".join(alternatives))
        for path, alternatives in deepest.items()
    )


def _says_more(places: list[Path], path: Path) -> bool:
    """Whether something below ``path`` is reported."""
    return any(len(place) > len(path) and place[: len(path)] == path for place in places)


def _misspelt(errors: Sequence[Any]) -> set[Path]:
    """Places of required keys that are missing because an unknown key beside them means them."""
    missing, unknown = (
        [item["loc"] for item in errors if item["type"] == kind] for kind in ("missing", "extra_forbidden")
    )
    found = set()
    for *parent, name in unknown:
        beside = [str(loc[-1]) for loc in missing if [*loc[:-1]] == parent]
        if (meant := closest(str(name), beside)) is not None:
            found.add((*parent, meant))
    return found


def shortened(message: str) -> str:
    """A message that quotes a whole text, cut."""
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:LONGEST_MESSAGE]}…"


def kind(value: Any) -> str:
    """What a parsed value is, in the words of the document's author."""
    kinds = {
        dict: "a mapping", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number",
    }  # fmt: skip
    return "empty" if value is None else kinds.get(type(value), f"a {type(value).__name__}")


def plain(item: Any, *, with_value: bool = True) -> str:
    """One of pydantic's errors in plain words: what was expected, and what was found beside it unless it may be secret."""
    error, context, given = item["type"], item.get("ctx", {}), item.get("input")
    if error == "missing":
        return "is required"
    if error in {"too_short", "too_long", "string_too_short", "string_too_long"}:
        return _wrong_length(error, context, given)
    message = str(item["msg"]).removeprefix("Value error, ").removeprefix("Input should be ")
    if error in {"value_error", "assertion_error"}:
        return message
    if error == "string_pattern_mismatch":
        message = SHAPES.get(context["pattern"], f"text of the form {context['pattern']}")
    elif error in {"dict_type", "mapping_type", "model_type", "model_attributes_type"}:
        message = "a mapping"
    elif error.startswith("date"):
        message = "a date, YYYY-MM-DD"
    elif error.endswith("_parsing"):
        message = message.partition(", unable to")[0]
    elif error == "int_from_float":
        message = "a whole number"
    if not with_value:
        return f"should be {message}"
    shown = kind(given) if given is None or isinstance(given, dict | list) else repr(given)
    hint = "; quote it" if isinstance(given, bool) and error == "string_type" else ""
    return f"should be {message}, is {shown[:80]}{hint}"


def _wrong_length(error: str, context: Any, given: Any) -> str:
    one = "character" if error.startswith("string") else "item" if isinstance(given, list) else "entry"
    many = "entries" if one == "entry" else f"{one}s"
    bound, limit = (
        ("at least", context["min_length"]) if error.endswith("short") else ("at most", context["max_length"])
    )
    if given is not None and not given and limit == 1:
        return "should not be empty"
    size = len(given) if isinstance(given, str | list | tuple | dict) else "another number"
    return f"should have {bound} {limit} {one if limit == 1 else many}, has {size}"


def _keys_of(model: type[BaseModel]) -> set[str]:
    """Every key that the model or one within it has."""
    names: set[str] = set()
    stack: list[Any] = [model]
    seen: set[Any] = set()
    while stack:
        current = stack.pop()
        if current in seen:
            continue
        seen.add(current)
        for name, info in current.model_fields.items():
            names.add(info.alias or name)
            stack.extend(_models_in(info.annotation))
    return names


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in getattr(annotation, "__args__", ()):
        yield from _models_in(argument)
