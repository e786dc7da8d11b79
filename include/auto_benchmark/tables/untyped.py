"""YAML of others: data in which every scalar is the text that was written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from auto_benchmark.documents import alias_budget, storable, syntax_fault
from auto_benchmark.errors import ConfigError, Fault


@dataclass(frozen=True, slots=True)
class Twice:
    """Values of a key that one mapping gives more than once."""

    values: tuple[Any, ...]


def parse_untyped(text: str) -> Any:
    """Parse YAML of others with every scalar left as its text: ``no`` stays a name and 1_0 is not a number.

    Plain ``null``, ``~`` and empty values become None. Anchors and merge keys are resolved, tags are not. Several
    documents of one stream become a list. A key that a mapping gives twice keeps both values as a :class:`Twice`.

    Raises:
        ConfigError: not YAML, or aliases that would multiply the document.
    """
    try:
        nodes = [n for n in yaml.compose_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) if n]
        untyped = _Untyped(alias_budget(text))
        built = [untyped.build(node) for node in nodes]
        return built[0] if len(built) == 1 else built or None
    except yaml.YAMLError as error:
        raise ConfigError([syntax_fault(error, text, "")]) from None
    except RecursionError:
        raise ConfigError([Fault("", None, "", "nested too deeply or an alias of itself")]) from None


class _Untyped:
    """Builds plain data from YAML nodes; ``budget`` bounds what aliases can multiply."""

    def __init__(self, budget: int) -> None:
        self._budget = budget

    def build(self, node: yaml.Node) -> Any:
        self._budget -= 1
        if self._budget < 0:
            raise ConfigError([Fault("", None, "", "aliases multiply the document without end")])
        if isinstance(node, yaml.MappingNode):
            result: dict[str, Any] = {}
            inherited: list[Any] = []
            for key_node, value_node in node.value:
                key, value = str(key_node.value), self.build(value_node)
                if key_node.tag == "tag:yaml.org,2002:merge":
                    inherited += value if isinstance(value, list) else [value]
                    continue
                result[key] = Twice((result[key], value)) if key in result and result[key] != value else value
            for parent in inherited:
                result |= {k: v for k, v in parent.items() if k not in result} if isinstance(parent, dict) else {}
            return result
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item) for item in node.value]
        return None if node.tag == "tag:yaml.org,2002:null" else storable(str(node.value))
