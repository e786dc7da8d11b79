"""One watched leaderboard: where it is, how to read it, what winning means. Also the shape of a parse spec."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field, StrictBool, StrictStr, field_validator, model_validator

from auto_benchmark.addresses import shown
from auto_benchmark.documents import FieldError, Strict
from auto_benchmark.registry.names import Count, Name, NotNegative, Positive, Share, Slug

LOWER_IS_BETTER_WORDS = re.compile(r"(?i)\b(error|loss|perplexity|ppl|wer|cer|latency|cost|time|fid|bpb)\b")
UNITS = {
    **dict.fromkeys(("percent", "percents", "percentage", "percentages", "pct"), "percent"),
    **dict.fromkeys(("share", "shares", "fraction", "fractions", "ratio"), "share"),
}
"""What people call the two units of a share."""
AMOUNT_WORDS = re.compile(
    r"(?i)\b(rmse|mae|mse|mape|smape|nll|perplexity|ppl|latency|bpb|bpc|elo|loss|fid|psnr|r2|seconds|energy|cost|"
    r"(mean )?(absolute|squared) error)\b"
)
"""Metrics that are no share of the items, so that no binomial interval belongs to them."""
HIGHER_IS_BETTER_WORDS = re.compile(r"(?i)\b(accuracy|acc|f1|f1_score|bleu|rouge|recall|precision|auc|map|ndcg|em)\b")


class ScrapeMethod(StrEnum):
    """How a board's document is read; one module in ``sources`` each."""

    HTML_TABLE = "html_table"
    API = "api"
    CSV = "csv"
    TSV = "tsv"
    MARKDOWN = "markdown"
    YAML = "yaml"
    RSS = "rss"
    MANUAL = "manual"
    HF_EVALS = "hf_evals"
    AUTO = "auto"


class Locate(Strict):
    """Which table of a document holds the board."""

    css: StrictStr | None = None
    heading: StrictStr | None = None
    table: Count | None = None
    jsonpath: StrictStr | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Locate:
        ways = [w for w in ("css", "heading", "jsonpath") if getattr(self, w) is not None]
        if len(ways) > 1:
            raise ValueError(f"give one of {' or '.join(ways)}, not both")
        if not ways and self.table is None:
            raise ValueError("give css, heading, table or jsonpath")
        return self


class ColumnPattern(Strict):
    """A column whose cells hold more than the value, or hold it elsewhere than in their text.

    Attributes:
        regex: its first group is the value.
        attribute: of the HTML cell, or of the first element in it that has one: ``data-sort``, ``href``. A cell without it
            is read by its text.
    """

    column: StrictStr
    regex: StrictStr | None = None
    attribute: StrictStr | None = Field(default=None, pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,99}$")

    @field_validator("regex")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        return None if value is None else compiled(value)

    @model_validator(mode="after")
    def _asks(self) -> ColumnPattern:
        if self.regex is None and self.attribute is None:
            raise FieldError("regex", "is required where there is no attribute")
        return self


Column = StrictStr | ColumnPattern


class Columns(Strict):
    """Names of the columns to read; ``score`` may list several, the first present wins.

    Attributes:
        url: a link that stays when an entry's name changes.
    """

    system: Column | None = None
    score: Column | list[Column] | None = None
    stderr: Column | None = None
    interval: Column | None = None
    date: Column | None = None
    url: Column | None = None
    metrics: dict[str, Column] = {}

    @property
    def attributes(self) -> frozenset[str]:
        """Attributes of HTML cells that are read, in lower case as HTML keeps them."""
        scores = self.score if isinstance(self.score, list) else [self.score]
        every = (self.system, self.stderr, self.interval, self.date, self.url, *scores, *self.metrics.values())
        asked = (column.attribute for column in every if isinstance(column, ColumnPattern))
        return frozenset(name.lower() for name in asked if name)


class Where(Strict):
    """Rows whose ``column`` holds one of the values."""

    column: StrictStr
    values: list[Any] = Field(alias="in", min_length=1)


class Exclude(Strict):
    """Rows that are not competitors: human and random baselines, other categories."""

    rows: StrictStr | None = None
    where: Where | None = None

    @field_validator("rows")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        return None if value is None else compiled(value)


class MeanBy(Strict):
    """Mean over groups of the groups' means."""

    group: StrictStr
    of: StrictStr


class Derive(Strict):
    """A score that is computed from what the page shows.

    Attributes:
        mean: columns to average; or groups of columns, whose means are averaged.
        mean_by: the same for tables with one row per system and item.
        best_per: keep the best row per value of this column (``system``: per system).
        transpose: systems stand in columns, metrics in rows.
    """

    mean: list[StrictStr] | dict[StrictStr, list[StrictStr]] | None = Field(default=None, min_length=1)
    mean_by: MeanBy | None = None
    best_per: StrictStr | None = None
    transpose: StrictBool = False


class Victory(Strict):
    """What #1 means.

    Attributes:
        absolute_rank: rank to hold.
        relative_gap: lead over #2 as a fraction of #1's score.
        sustained_cycles: consecutive cycles that rank and lead must hold.
    """

    absolute_rank: Count = 1
    relative_gap: Share = 0.005
    sustained_cycles: Count = 3


class SaturationRule(Strict):
    """When a board has nothing left to win, and what follows it.

    Attributes:
        request: file beside the registry with the request of the benchmark that is then built; none is where absent.
        key_errors: share of items whose key is known to be wrong, so that nobody can be right on them.
        submissions: so many of them without a gain beyond noise, while the top five cannot be told apart, are enough.
    """

    request: StrictStr | None = None
    key_errors: Share = 0.0
    submissions: Count = 5


class SubmissionSettings(Strict):
    """How entries are handed in."""

    api: StrictStr
    conn_id: StrictStr | None = None
    token_env: StrictStr | None = None
    max_per_day: Count = 1


class Leaderboard(Strict):
    """A board of the registry; the same shape is a spec for ``leaderboard parse``.

    Attributes:
        benchmark: what our score on it is measured with; the solution's own benchmark by default.
    """

    name: Name
    url: StrictStr | None = None
    scrape_method: ScrapeMethod
    primary_metric: StrictStr
    higher_is_better: StrictBool
    conn_id: StrictStr | None = None
    token_env: StrictStr | None = None
    locate: Locate | None = None
    columns: Columns = Columns()
    exclude: Exclude = Exclude()
    aliases: dict[Name, list[Name]] = {}
    derive: Derive | None = None
    unit: StrictStr | None = None
    decimal: Literal[".", ","] | None = None
    part: Count | None = None
    may_be_empty: StrictBool = False
    items: Count | None = None
    stderr: NotNegative | None = None
    victory: Victory | None = None
    promotion_threshold: Positive | None = None
    submission: SubmissionSettings | None = None
    benchmark: Slug | None = None
    saturation: SaturationRule = SaturationRule()

    @model_validator(mode="after")
    def _reachable(self) -> Leaderboard:
        if self.url is None and self.scrape_method is not ScrapeMethod.MANUAL:
            raise FieldError("url", "is required unless scrape_method is manual")
        if self.url and ":" in self.url and not re.match(r"(?i)(https?|file):", self.url):
            raise FieldError("url", f"url must be http(s), file: or a path, is {shown(self.url)[:80]!r}")
        return self

    @field_validator("unit")
    @classmethod
    def _unit_of_a_share(cls, unit: str | None) -> str | None:
        """One word for each: a unit that is nearly one of them would count as none of them."""
        return None if unit is None else UNITS.get(unit.strip().lower(), unit)

    @model_validator(mode="after")
    def _one_name_each(self) -> Leaderboard:
        owner: dict[str, str] = {}
        for name, others in self.aliases.items():
            for spelling in (name, *others):
                if owner.setdefault(spelling.casefold(), name) != name:
                    other = owner[spelling.casefold()]
                    raise FieldError("aliases", f"alias {spelling!r} stands for {other!r} and for {name!r}")
        return self

    @property
    def canonical_names(self) -> dict[str, str]:
        """Other name of a competitor -> the name under which it is followed."""
        return {other: name for name, others in self.aliases.items() for other in others}

    @property
    def victory_condition(self) -> Victory:
        """The declared victory condition, or the default that ``check`` prints."""
        return self.victory or Victory()

    @property
    def share_items(self) -> int | None:
        """The declared items, where the metric may be a share of them."""
        return None if AMOUNT_WORDS.search(self.primary_metric.replace("_", " ")) else self.items

    def items_warning(self) -> str | None:
        """Say so when items are declared for a metric that is no share of them."""
        if self.items is None or self.share_items is not None:
            return None
        return (
            f"{self.primary_metric!r} is no share of {self.items} items; they are not used, declare `stderr` instead"
        )

    def direction_warning(self) -> str | None:
        """Say so when the metric's name contradicts the declared direction."""
        words = self.primary_metric.replace("_", " ")
        if self.higher_is_better and LOWER_IS_BETTER_WORDS.search(words):
            return f"{self.primary_metric!r} usually counts down, but higher_is_better is true"
        if not self.higher_is_better and HIGHER_IS_BETTER_WORDS.search(words):
            return f"{self.primary_metric!r} usually counts up, but higher_is_better is false"
        return None


def compiled(pattern: str) -> str:
    """Return ``pattern`` if it is a regular expression; raise ValueError otherwise."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern
