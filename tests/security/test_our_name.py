"""Nobody becomes us by writing our name into a board."""

import itertools
import shutil
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from auto_benchmark.boards import landscape
from auto_benchmark.cli import main
from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.repositories import (
    board_history,
    outbox,
    production,
    rank_drops,
    records,
    snapshots,
    submissions,
)
from auto_benchmark.errors import InputError
from auto_benchmark.flows import inline
from auto_benchmark.leaderboards.aside import AsideRow, Whose
from auto_benchmark.leaderboards.our_entries import HandedIn, Known, Last, judge, shows
from auto_benchmark.leaderboards.our_names import OurNames
from auto_benchmark.leaderboards.snapshot import BoardReading
from auto_benchmark.project.context import make_context
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import NamedConnections
from auto_benchmark.sources.read import read_board
from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.ranking import ranked
from auto_benchmark.telling import approvals, questions
from auto_benchmark.telling.status import status

TOY = Path(__file__).parents[1] / "toy"
NOW = datetime(2026, 3, 1, 6, tzinfo=UTC)
REST = (("Leader", 0.90), ("Last", 0.50))
_numbers = itertools.count(1)

OURS = {
    "as declared": "Ours", "blank": "Ours ", "no-break space": "Ours\u00a0", "upper case": "OURS", "spaced": "O u r s",
    "dagger": "Ours†", "stars": "Ours**", "number": "Ours [2]", "medal": "🥇\ufe0f Ours", "hyphen": "Ou-rs",
}  # fmt: skip
IMITATIONS = {
    "zero-width space": "Ours\u200b", "joiner": "Ou\u200drs", "soft hyphen": "Ou\u00adrs", "byte-order mark": "\ufeffOurs",
    "word joiner": "O\u2060urs", "right-to-left": "\u202eOurs", "isolate": "\u2066Ours\u2069", "variation": "Our\ufe0fs",
    "grapheme joiner": "Ou\u034frs", "filler": "Ours\u3164", "tag": "Ours\U000e0061", "line separator": "Ours\u2028",
    "unit separator": "Ou\x1frs", "bold": "**Ours**", "underlined": "__Ours__", "struck": "~~Ours~~", "code": "`Ours`",
    "tags": "<b>Ours</b>", "open tag": "<b>Ours", "link": "[Ours](http://evil.example)", "entity": "<i>&#79;urs</i>",
    "Cyrillic": "\u041eurs", "all Cyrillic and Greek": "\u041e\u03c5\u0433\u0455", "full width": "\uff2furs",
    "mathematical": "\U0001d40eurs", "circled": "\u24deurs", "long s": "Our\u017f", "zero": "0urs",
    "overlay": "Our\u0338s", "dots": "O.u.r.s", "exclamation": "Ours!",
}  # fmt: skip


def parsed(*rows, method="csv"):
    """The rows as a reader of CSV gives them."""
    text = "system,accuracy\n" + "".join(f'"{name}",{score}\n' for name, score in rows)
    declared = {"name": "B", "url": "b.csv", "scrape_method": method, "primary_metric": "accuracy"}
    spec = Leaderboard.model_validate({**declared, "higher_is_better": True})
    return read_board(text.encode(), spec, source="b.csv").entries


def entries(*rows):
    return ranked([Entry(rank=None, system=n, score=s) for n, s in rows], higher_is_better=True)


def judged(now, last=None, *, aside=(), at=NOW, **known):
    before = None if last is None else Last(entries(*last), aside)
    return judge(
        entries(*now), OurNames(["Ours"]), last=before, known=lambda: Known(**known), higher_is_better=True, now=at
    )


def mine(found):
    names = OurNames(["Ours"])
    return sorted(e.score for e in found.entries if e.score is not None and names.borne_by(e))


def whose(found):
    return [(row.score, row.whose) for row in found.aside]


@pytest.mark.parametrize("name", OURS.values(), ids=OURS)
def test_case_spaces_and_footnotes_leave_a_name_ours(name):
    (top, *_) = parsed(*REST, (name, 0.95))
    names = OurNames(["Ours"])
    assert names.borne_by(top) and names.imitated_by(top) is None


@pytest.mark.parametrize("name", IMITATIONS.values(), ids=IMITATIONS)
def test_what_only_looks_like_our_name_is_somebody_else_s(name):
    (top, *_) = parsed(*REST, (name, 0.95))
    names = OurNames(["Ours"])
    assert not names.borne_by(top)
    assert names.imitated_by(top) == "Ours"
    told, found = names.with_imitations_renamed([top])
    assert told == found and told[0].system.endswith("(imitates Ours)") and told[0].score == 0.95
    assert told[0].system.isprintable() and names.imitated_by(told[0]) is None and not names.borne_by(told[0])


@pytest.mark.parametrize("name", ["Somebody", "Ours v2", "Hours", "Наша", "Ours and others", "—", "4"])
def test_other_names_are_left_alone(name):
    (entry,) = entries((name, 0.9))
    assert OurNames(["Ours", "A+"]).with_imitations_renamed([entry]) == ([entry], [])


def test_a_name_that_was_declared_so_is_ours():
    names = OurNames(["Наша", "**Ours**", "Our\u200bs", "Straße", "A*"])
    for name in ("Наша", "НАША", "**Ours**", "Straße"):
        assert names.borne_by(*entries((name, 1.0))), name
    hidden = Entry(rank=1, system="Ours", score=1.0, written="Our\u200bs")
    assert names.borne_by(hidden)
    for name in ("Haшa", "STRASSE", "A"):
        assert not names.borne_by(*entries((name, 1.0))), name
    assert names.imitated_by(*entries(("STRASSE", 1.0))) == "Straße", "one identity, and not one name"
    assert not OurNames(["Kim"]).borne_by(*entries(("\u212aim", 1.0))), "the Kelvin sign is no K"


def test_where_every_name_is_a_link_a_link_is_no_disguise():
    rows = [(f"[{name}](http://x.example/{name})", score) for name, score in (*REST, ("Ours", 0.61))]
    assert [e.system for e in parsed(*rows) if OurNames(["Ours"]).borne_by(e)] == ["Ours"]


@pytest.mark.parametrize("derive", [{"best_per": "system"}, {"mean_by": {"group": "task", "of": "accuracy"}}])
def test_rows_that_are_combined_are_not_combined_with_imitations(derive):
    rows = [("Leader", 0.9), ("Ours", 0.61), ("Last", 0.5), ("Ours\u200b", 0.95)]
    text = "system,task,accuracy\n" + "".join(f"{n},{task},{s}\n" for n, s in rows for task in ("a", "b"))
    spec = Leaderboard.model_validate({
        "name": "B", "url": "b.csv", "scrape_method": "csv", "primary_metric": "accuracy", "higher_is_better": True,
        "columns": {"system": "system"}, "derive": derive,
    })  # fmt: skip
    board = read_board(text.encode(), spec, source="b.csv").entries
    told, (false,) = OurNames(["Ours"]).with_imitations_renamed(board)
    assert false.score == pytest.approx(0.95)
    assert [e.score for e in told if e.system == "Ours"] == pytest.approx([0.61])


def test_rounding_is_that_of_the_board():
    assert shows(0.801, 0.80123, 3) and shows(0.801, 0.80149, 3) and shows(0.801, 0.8019, 3), "rounded, or cut off"
    assert not shows(0.803, 0.8019, 3) and not shows(0.800, 0.80123, 3) and not shows(0.56, 0.57, 2)
    assert not shows(0.95, 0.61, 0), "what a score shows beyond the usual decimals counts"
    assert shows(-1.23, -1.2345, 2) and shows(84.1, 84.14, 1) and shows(0.0, 0.0, 2)


def test_the_first_snapshot_is_trusted_and_later_scores_are_not():
    first = judged([*REST, ("Ours", 0.61), ("OURS", 0.55)])
    assert mine(first) == [0.55, 0.61] and first.aside == [] and first.variations == ["OURS"]
    same = judged([*REST, ("Ours", 0.61)], [*REST, ("Ours", 0.61)])
    assert mine(same) == [0.61] and same.aside == []
    second = judged([*REST, ("Ours", 0.61), ("Ours", 0.95)], [*REST, ("Ours", 0.61)])
    assert mine(second) == [0.61] and whose(second) == [(0.95, Whose.UNCONFIRMED)]
    twice = judged([*REST, ("Ours", 0.61), ("Ours", 0.61)], [*REST, ("Ours", 0.61)])
    assert mine(twice) == [0.61] and whose(twice) == [(0.61, Whose.UNCONFIRMED)]
    new = judged([*REST, ("Ours", 0.95)], [*REST])
    assert mine(new) == [] and whose(new) == [(0.95, Whose.UNCONFIRMED)]


def test_what_we_held_stands_while_something_else_is_in_its_place():
    jump = judged([*REST, ("Ours", 0.95)], [*REST, ("Ours", 0.61)])
    assert mine(jump) == [0.61]
    assert [(e.rank, e.system) for e in jump.entries] == [
        (1, "Leader"), (2, "Ours"), (3, "Last"), (None, "Ours (unconfirmed)"),
    ]  # fmt: skip
    worse = judged([*REST, ("Ours", 0.1)], [*REST, ("Ours", 0.61)])
    assert mine(worse) == [0.61]
    best = judged([*REST, ("Ours", 0.55), ("Ours", 0.95)], [*REST, ("Ours", 0.61), ("Ours", 0.55)])
    assert mine(best) == [0.55, 0.61]
    gone = judged([*REST], [*REST, ("Ours", 0.61)])
    assert mine(gone) == [] and gone.aside == []


@pytest.mark.parametrize("known", [
    {"earlier": [0.8]}, {"ours": frozenset([0.8])}, {"handed_in": [HandedIn(1, 0.8004, NOW)]},
    {"handed_in": [HandedIn(1, None, NOW)]},
], ids=["shown or declared before", "answered", "handed in", "handed in, scored later"])  # fmt: skip
def test_what_is_known_makes_an_entry_ours(known):
    found = judged([*REST, ("Ours", 0.80)], [*REST, ("Ours", 0.61)], **known)
    assert mine(found) == [0.80] and found.aside == []
    assert found.scored == ((1, 0.80) if known.get("handed_in", [HandedIn(0, 1.0, NOW)])[0].score is None else None)
    other = judged([*REST, ("Ours", 0.80), ("Ours", 0.95)], [*REST, ("Ours", 0.61)], **known)
    assert 0.95 not in mine(other), "one known score is one entry"


def test_a_submission_without_a_score_is_no_key_for_everything():
    handed_in = [HandedIn(1, None, NOW)]
    before = [*REST, ("Ours", 0.61)]
    late = judged([*REST, ("Ours", 0.95)], before, handed_in=handed_in, at=NOW + timedelta(days=15))
    assert mine(late) == [0.61] and late.scored is None
    asked = (AsideRow("Ours", 0.95, Whose.UNCONFIRMED, NOW - timedelta(days=1)),)
    early = judged([*REST, ("Ours", 0.95)], before, aside=asked, handed_in=handed_in)
    assert mine(early) == [0.61], "it was there before we handed anything in"
    two = judged([*REST, ("Ours", 0.95), ("Ours", 0.8)], before, handed_in=handed_in)
    assert mine(two) == [0.61] and two.scored is None, "which of two it is, a person says"


def test_a_denied_row_is_a_competitor_and_stays_one_when_its_score_moves():
    before = [*REST, ("Ours", 0.61)]
    denied = judged([*before, ("Ours", 0.95)], before, denied=frozenset([0.95]))
    assert mine(denied) == [0.61] and denied.entries[0].system == "Ours (not ours)"
    moved = judge(
        entries(*before, ("Ours", 0.97)), OurNames(["Ours"]), last=Last(denied.entries, denied.aside),
        known=lambda: Known(denied=frozenset([0.95])), higher_is_better=True, now=NOW,
    )  # fmt: skip
    assert whose(moved) == [(0.97, Whose.DENIED)] and moved.entries[0].system == "Ours (not ours)"


def test_the_board_may_change_its_decimals_its_scale_or_correct_everybody():
    before = [(f"S{i}", round(0.81 + i / 100, 2)) for i in range(6)] + [("Ours", 0.61)]
    finer = judged([(f"S{i}", round(0.8123 + i / 100, 4)) for i in range(6)] + [("Ours", 0.6149)], before)
    assert mine(finer) == [0.6149]
    scaled = judged([(name, round(score * 100, 2)) for name, score in before], before)
    assert mine(scaled) == [61.0]
    both = judged([(name, round(score * 100, 2)) for name, score in [*before, ("Ours", 0.95)]], before)
    assert mine(both) == [61.0], "the score that we had, in percent"
    assert len(both.aside) == 1, "the other one was never handed in"
    corrected = judged([(n, round(s + (0.004 if i % 2 else -0.004), 4)) for i, (n, s) in enumerate(before)], before)
    assert mine(corrected) == [0.606] and corrected.aside == []
    jump = judged([*before[:-1], ("Ours", 0.6149)], before)
    assert mine(jump) == [0.61], "nobody else's score moved"


def test_decimals_cannot_be_made_coarse_by_a_crowd():
    crowd = [(f"N{i}", 1.0) for i in range(50)]
    found = judged([*REST, *crowd, ("Ours", 0.95)], [*REST, ("Ours", 0.61)])
    assert mine(found) == [0.61]


def test_our_own_second_entry_is_no_runner_up():
    from auto_benchmark.leaderboards.standing import standing

    now = standing(entries(("Ours", 0.9), ("Ours", 0.899), ("Rival", 0.8)), ["Ours"])
    assert (now.our_rank, now.runner_up_score) == (1, 0.8)


class World:
    """The toy project: its context, what it said, and a board in a file."""

    def __init__(self, folder, bind):
        shutil.copytree(TOY, folder / "toy")
        self.csv = folder / "toy" / "config" / "board.csv"
        parts = {name: folder / "toy" / name for name in ("config", "benchmarks", "solutions")}
        self.settings, self.sessions, self.said = Settings(home=folder / "home", **parts), session_factory(bind), []
        self.ctx = make_context(self.settings, self.sessions, NamedConnections({}), say=self.said.append)

    def scrape(self, *rows, cycle=None):
        """Read the board as it is now; lines that were said."""
        if rows:
            self.csv.write_text("system,accuracy\n" + "".join(f'"{n}",{s}\n' for n, s in rows))
        before = len(self.said)
        (told,) = inline.scrape(self.ctx, cycle=cycle)["boards"]
        assert told["status"] == "ok", told
        return [line for line in self.said[before:] if not line.startswith("Slack: ")]

    @property
    def board(self):
        shown = status(self.ctx).boards[0]
        return shown.our_rank, shown.our_score, shown.mode

    @property
    def waiting(self):
        with self.sessions() as session:
            return [e.key for e in records.open_escalations(session=session, project=self.ctx.project)]

    @property
    def drops(self):
        with self.sessions() as session:
            return [d.change.system for d in rank_drops.unclaimed(session=session, project=self.ctx.project)]

    def triggers(self):
        with self.sessions() as session:
            return [str(t.trigger.action) for t in landscape.observe(self.ctx, session).triggers]

    def stored(self):
        """Everything a second run could have written twice."""
        with self.sessions() as session:
            history = board_history.history(session=session, project=self.ctx.project, board="ToyBoard")
            logged = records.logged(session=session, project=self.ctx.project)
        return [h.snapshot_id for h in history], [e.key for e in logged], self.waiting, self.drops

    def hand_in(self, score, state="accepted"):
        with self.sessions.begin() as session:
            current = production.current(session=session, project=self.ctx.project)
            made, _ = submissions.enqueue(
                session=session,
                project=self.ctx.project,
                board="ToyBoard",
                production_config_id=current.id,
                payload={},
            )
            submissions.set_state(session=session, submission_id=made.id, state=state, score=score)
        return made.id


@pytest.fixture
def world(tmp_path, postgres, template_database):
    bind = engine(postgres.create_database(f"our_name_{next(_numbers)}", template=template_database))
    yield World(tmp_path, bind)
    bind.dispose()


START = (*REST, ("Ours", 0.80))


def alerts(lines):
    return [line for line in lines if line.startswith("[ALERT]")]


@pytest.mark.parametrize("name", ["Ours\u200b", "**Ours**", "<b>Ours</b>", "\u041eurs", "\uff2furs"])
def test_an_imitation_is_a_competitor_and_an_alert(world, name):
    world.scrape(*START)
    imitates, entrant = alerts(world.scrape(*START, (name, 0.95)))
    assert imitates.startswith("[ALERT] Somebody's name imitates ours on ToyBoard: ")
    assert entrant.endswith("now ranked #1, ahead of us")
    assert world.board == (3, 0.80, "attack") and world.waiting == [] and len(world.drops) == 1
    assert alerts(world.scrape(*START, (name, 0.95), ("New", 0.1))) == [], "told once"


@pytest.mark.parametrize("name", ["Ours", "OURS", "Ours ", "Ours\u00a0", "Ours†"])
@pytest.mark.parametrize("kept", [True, False], ids=["second entry", "our own row"])
def test_a_score_that_we_never_handed_in_moves_nothing(world, name, kept):
    world.scrape(*START, cycle="c0")
    before = world.board
    rows = [*REST, (name, 0.95), *([("Ours", 0.80)] if kept else [])]
    (alert,) = alerts(world.scrape(*rows, cycle="c1"))
    assert alert.startswith("[ALERT] ToyBoard shows 0.95 under our name (") and "never handed in" in alert
    assert world.board == before == (2, 0.80, "attack")
    assert world.drops == [] and world.triggers() == []
    assert world.waiting == ["our-name/ToyBoard/0.95"]
    stored = world.stored()
    assert world.scrape(*rows) == [] and world.stored() == stored, "read again, nothing is asked or told again"
    live = (world.ctx.home / "competitive_registry.yaml").read_text()
    assert "0.95" not in live and "0.95" not in (world.ctx.home / "reports" / "gap_matrix.md").read_text()


def test_a_leader_is_not_led_out_of_defense_and_victory_is_not_given(world):
    leading = (("Ours", 0.95), ("Leader", 0.90))
    for cycle in range(3):
        world.scrape(*leading, cycle=f"c{cycle}")
    assert world.board == (1, 0.95, "defense") and status(world.ctx).boards[0].victory
    for cycle, score in enumerate((0.2, 0.99), 3):
        world.scrape(("Ours", score), ("Leader", 0.90), cycle=f"c{cycle}")
        assert world.board == (1, 0.95, "defense") and status(world.ctx).boards[0].victory and world.drops == []
    assert world.waiting == ["our-name/ToyBoard/0.99"], "a question about what is shown no more is closed"


@pytest.mark.parametrize("kept", [True, False], ids=["second entry", "our own row"])
@pytest.mark.parametrize("through", ["name", "key", "command line"])
def test_a_person_says_yes(world, kept, through, monkeypatch, capsys):
    rows = [*REST, ("Ours", 0.95), *([("Ours", 0.80)] if kept else [])]
    world.scrape(*START)
    world.scrape(*rows)
    if through == "name":
        told = approvals.approve(world.ctx, "ToyBoard/0.95", by="ann")
        assert told == {"kind": "our_name", "subject": "ToyBoard/0.95", "approved": True}
    elif through == "key":
        assert questions.kind_of("our-name/ToyBoard/0.95") == "our_name"
        with pytest.raises(InputError, match="approved or rejected, not closed"):
            approvals.close(world.ctx, "our-name/ToyBoard/0.95", by="ann", reason="x")
        approvals.approve_question(world.ctx, "our-name/ToyBoard/0.95", by="ann", reason="we did")
    else:
        assert run_command(world, monkeypatch, "approve", "ToyBoard/0.95", "--reason", "we did") == 0
        assert "our_name of ToyBoard/0.95 approved" in capsys.readouterr().out
    assert world.board == (1, 0.95, "defense") and world.waiting == [] and world.drops == []
    stored = world.stored()
    assert world.scrape(*rows) == [] and world.stored() == stored
    with pytest.raises(InputError, match="nothing called"):
        approvals.approve(world.ctx, "ToyBoard/0.95", by="ann")
    world.scrape(*REST, ("Ours", 0.80))
    assert world.board[:2] == (2, 0.80)
    assert alerts(world.scrape(*REST, ("Ours", 0.95))) == [] and world.board[:2] == (1, 0.95), "the answer is kept"


def run_command(world, monkeypatch, *words):
    url = world.sessions.kw["bind"].url.render_as_string(hide_password=False)
    places = {name.upper(): getattr(world.settings, name) for name in ("home", "config", "benchmarks", "solutions")}
    for name, value in {**places, "DB_URL": url}.items():
        monkeypatch.setenv(f"AUTO_BENCHMARK_{name}", str(value))
    monkeypatch.setattr(sys, "argv", ["auto-benchmark", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def test_a_person_says_no(world):
    world.scrape(*START)
    world.scrape(*START, ("Ours", 0.95))
    told = approvals.reject(world.ctx, "ToyBoard/0.95", by="ann", reason="not us")
    assert told == {"kind": "our_name", "subject": "ToyBoard/0.95", "approved": False}
    assert world.board == (3, 0.80, "attack") and world.waiting == []
    assert world.drops == ["Ours (not ours)"]
    stored = world.stored()
    assert world.scrape() == [] and world.stored() == stored
    world.scrape(*START, ("Ours", 0.96))
    assert world.board == (3, 0.80, "attack") and world.waiting == [], "the same somebody, with another score"
    with world.sessions() as session:
        (entry,) = records.logged(session=session, project="default", kind="approval")
    assert "0.95: rejected by ann: not us" in entry.reason


@pytest.mark.parametrize("said", ["approve", "reject"])
def test_a_process_that_dies_after_an_answer_leaves_the_rest_to_the_next_scrape(world, said, monkeypatch):
    world.scrape(*START)
    world.scrape(*START, ("Ours", 0.95))

    def dies(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(approvals, "judge_again", dies)
        with pytest.raises(KeyboardInterrupt):
            getattr(approvals, said)(
                world.ctx, "ToyBoard/0.95", by="ann", **({"reason": "x"} if said == "reject" else {})
            )
    assert world.board == (2, 0.80, "attack") and world.waiting == []
    world.scrape()
    assert world.board == ((1, 0.95, "defense") if said == "approve" else (3, 0.80, "attack"))
    stored = world.stored()
    assert world.scrape() == [] and world.stored() == stored


def test_a_scrape_that_dies_before_its_commit_is_run_again(world, monkeypatch):
    world.scrape(*START)
    with monkeypatch.context() as patched:
        patched.setattr(snapshots, "record_changes", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            world.scrape(*START, ("Ours", 0.95))
    assert world.waiting == []
    assert len(alerts(world.scrape())) == 1 and world.waiting == ["our-name/ToyBoard/0.95"]


def test_an_answer_waits_where_the_archive_is_gone(world):
    world.scrape(*START)
    world.scrape(*START, ("Ours", 0.95))
    shutil.rmtree(world.ctx.home / "raw")
    approvals.approve(world.ctx, "ToyBoard/0.95", by="ann")
    assert world.board == (2, 0.80, "attack")
    world.scrape()
    assert world.board == (1, 0.95, "defense")


@pytest.mark.parametrize("handed_in, shown", [(0.9512345, 0.951), (0.9518, 0.9518), (None, 0.951)])
def test_a_submission_that_was_accepted_needs_nobody(world, handed_in, shown):
    world.scrape(*START)
    number = world.hand_in(handed_in)
    lines = world.scrape(("Leader", 0.9), ("Last", 0.502), ("Ours", shown), ("New", 0.101), ("Newer", 0.102))
    assert not [line for line in alerts(lines) if "our name" in line] and world.waiting == []
    assert world.board == (1, shown, "defense")
    said = [line for line in lines if "whose answer gave none" in line]
    assert len(said) == (handed_in is None)
    with world.sessions() as session:
        (made,) = submissions.listed(session=session, project="default")
    assert (made.id, made.score) == (number, shown if handed_in is None else handed_in)
    world.scrape(("Leader", 0.9), ("Last", 0.502), ("Ours", 0.999))
    assert world.board == (1, shown, "defense") and world.waiting == ["our-name/ToyBoard/0.999"]


def test_a_submission_that_was_refused_proves_nothing(world):
    world.scrape(*START)
    world.hand_in(0.95, state="refused")
    assert len(alerts(world.scrape(*REST, ("Ours", 0.95)))) == 1 and world.board == (2, 0.80, "attack")


def test_a_scrape_in_the_middle_of_a_submission_asks_nobody(world):
    world.scrape(*START)
    number = world.hand_in(None, state="pending")
    with world.sessions.begin() as session:
        (message,) = outbox.claim(session=session, owner="me", lease_s=60, project="default", topic="submission")
    assert alerts(world.scrape(*REST, ("Ours", 0.95))) == []
    assert world.board == (2, 0.80, "attack") and world.waiting == []
    with world.sessions.begin() as session:
        outbox.mark_sent(session=session, message_id=message.id, owner="me")
        submissions.set_state(session=session, submission_id=number, state="accepted", score=0.95)
    world.scrape()
    assert world.board == (1, 0.95, "defense")


def test_a_question_closes_by_itself_when_the_answer_comes_from_the_board(world):
    world.scrape(*START)
    world.scrape(*REST, ("Ours", 0.95))
    assert world.waiting == ["our-name/ToyBoard/0.95"]
    world.hand_in(0.95)
    world.scrape()
    assert world.waiting == [] and world.board == (1, 0.95, "defense")


def test_what_left_unanswered_is_asked_again_when_it_is_back(world):
    world.scrape(*START)
    for _ in range(2):
        world.scrape(*START, ("Ours", 0.95))
        assert world.waiting == ["our-name/ToyBoard/0.95"]
        world.scrape(*START)
        assert world.waiting == []


def test_a_score_declared_by_hand_is_ours(world):
    world.scrape(*START)
    ours = world.ctx.config.registry.our_solution.model_copy(update={"current_scores": {"ToyBoard": 0.95}})
    registry = world.ctx.config.registry.model_copy(update={"our_solution": ours})
    world.ctx = replace(world.ctx, config=replace(world.ctx.config, registry=registry))
    assert alerts(world.scrape(*REST, ("Ours", 0.95))) == [] and world.board == (1, 0.95, "defense")


def test_another_spelling_is_told_once_and_remembered(world):
    world.scrape(*START)
    told = "[INFO] ToyBoard writes our name 'OURS'; it counts as ours"
    assert told in world.scrape(*REST, ("OURS", 0.80))
    world.scrape(*START)
    assert told not in world.scrape(*REST, ("OURS", 0.80)) and world.board[:2] == (2, 0.80)


def test_snapshots_from_before_names_were_checked_keep_their_meaning(world):
    """Two rows under our name, one of them an imitation that was read as our name then."""
    world.scrape(*START)
    read = world.ctx.now() + timedelta(seconds=1)
    old = BoardReading(read, "older", entries(("Ours", 0.95), *REST, ("Ours", 0.80)))
    with world.sessions.begin() as session:
        snapshots.record(session=session, project="default", board="ToyBoard", reading=old, ours=["Ours"])
    assert world.board == (1, 0.95, "defense")
    world.ctx = replace(world.ctx, now=lambda: read + timedelta(seconds=1))
    lines = world.scrape(("Ours\u200b", 0.95), *REST, ("Ours", 0.80))
    assert world.board == (3, 0.80, "attack") and len(alerts(lines)) >= 1


def test_the_command_line_tells_names_apart_and_warns_of_scores(world, monkeypatch, capsys, tmp_path):
    spec = tmp_path / "spec.yaml"
    spec.write_text("{name: B, scrape_method: csv, primary_metric: accuracy, higher_is_better: true}")
    days = tmp_path / "days"
    days.mkdir()
    for day, more in enumerate(("", "Ours\u200b,0.95\n", "Ours,0.97\n"), 1):
        (days / f"2026-03-0{day}.csv").write_text(f"system,accuracy\nLeader,0.90\nOurs,0.80\nLast,0.50\n{more}")
    pairs = [str(days / f"2026-03-0{day}.csv") for day in (1, 2, 3)]
    common = ("--spec", str(spec), "--ours", "Ours")
    assert run_command(world, monkeypatch, "leaderboard", "diff", *pairs[:2], *common) == 0
    out, err = capsys.readouterr()
    assert "imitates ours on B: Ours⟨U+200B⟩ (imitates Ours) at 0.95" in out and "Our rank: #3" in out and not err
    assert run_command(world, monkeypatch, "leaderboard", "replay", str(days), *common) == 0
    out, err = capsys.readouterr()
    assert "imitates ours on B" in out and "2026-03-03: 'Ours' shows 0.97: taken for ours" in err
