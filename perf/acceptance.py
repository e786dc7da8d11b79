"""What the project has to show, part by part: ``make acceptance``, or ``python perf/acceptance.py [PART …] [--again]``.

A part that has ended on the code as it is now is not run again, so that the whole can be stopped and go on later.
Results are kept in perf/results/acceptance.json, each with date, command, seconds and the fingerprint of the code. Exit 1
when a part does not show what it has to.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / place) for place in ("perf", ".", "include", "plugins")]
RESULT = ROOT / "perf" / "results" / "acceptance.json"
CODE = ("include", "plugins", "dags", "tests", "perf/*.py")
TOLD_EVERY_S = 15.0

Part = Callable[[], dict[str, Any]]
PARTS: dict[str, Part] = {}
"""Name -> what runs it and returns its facts; it raises AssertionError when the system does not show what it has to."""


def part(run: Part) -> Part:
    """Register a part under its function's name."""
    PARTS[run.__name__] = run
    return run


def progress(name: str, things: Iterable[Any], total: int) -> Iterator[Any]:
    """The things, telling now and then how many are done and how long the rest will take."""
    began = told = time.monotonic()
    for done, thing in enumerate(things):
        now = time.monotonic()
        if done and now - told > TOLD_EVERY_S:
            told = now
            left = (now - began) / done * (total - done)
            print(f"[{name}] {done} of {total}, about {left / 60:.0f} min left", flush=True)
        yield thing


@part
def two_executors() -> dict[str, Any]:
    """A thousand sequences of outcomes: Airflow's decisions and the inline executor's are the same."""
    from tests.executors import compare

    count = compare.SEQUENCES_IN_ACCEPTANCE
    return compare.compare_many(progress("two_executors", compare.sequences(count), count))


@part
def two_executors_live() -> dict[str, Any]:
    """Twenty more through Airflow's task runner, Execution API and XCom."""
    from tests.executors import compare

    count, first = compare.LIVE_IN_ACCEPTANCE, compare.FIRST_SEED + compare.SEQUENCES_IN_ACCEPTANCE
    return compare.compare_live(progress("two_executors_live", compare.sequences(count, first), count))


@part
def web_requests() -> dict[str, Any]:
    """Five thousand random requests to the page's API: no failure of the server, nothing crosses projects."""
    import web_fuzz

    return web_fuzz.ask()


@part
def odd_documents() -> dict[str, Any]:
    """Ten thousand odd documents: each is read or refused within its budget of work."""
    import reader_fuzz

    count = reader_fuzz.DOCUMENTS_IN_ACCEPTANCE
    told = reader_fuzz.faults(progress("odd_documents", range(count), count))
    assert not told["faults"], "; ".join(told["faults"][:5])
    return told


@part
def random_outputs() -> dict[str, Any]:
    """Two thousand random hostile outputs of trials: each has a class of failure, and the loop goes on."""
    count, test = 2000, "tests/security/test_random_outputs.py"
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
    environment = {**os.environ, "RANDOM_OUTPUTS": str(count)}
    ran = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:]
    return {"outputs": count, "said": ran.stdout.strip().splitlines()[-1]}


@part
def changed_archives() -> dict[str, Any]:
    """Two thousand changed archives: each is refused in words or imported whole, and nothing else changes."""
    import archive_fuzz

    count = archive_fuzz.ARCHIVES_IN_ACCEPTANCE
    told = archive_fuzz.faults(progress("changed_archives", range(count), count))
    assert not told["faults"], "; ".join(told["faults"][:5])
    return told


@part
def hundred_cheats() -> dict[str, Any]:
    """A hundred cheats in eight classes through plan, runner, scorer and gate: none is promoted."""
    import cheats

    count = len(cheats.CASES)
    told = cheats.try_all(fingerprint(), lambda cases: progress("hundred_cheats", cases, count))
    assert not told["wrong"], "; ".join(told["wrong"][:5])
    return told


@part
def cheats_elsewhere() -> dict[str, Any]:
    """The hundred cheats as an ordinary user, without Landlock, without namespaces, in containers: none is promoted."""
    import cheats_elsewhere as elsewhere

    count = len(elsewhere.PLACES) * (len(elsewhere.cheats.CASES) + len(elsewhere.cheats.Kind))
    told = elsewhere.try_all(fingerprint(), lambda rows: progress("cheats_elsewhere", rows, count))
    for place, facts in told["places"].items():
        assert not facts["promoted"], f"{place}: {facts['promoted']}"
        assert facts["honest_passed_the_gate"] == len(elsewhere.cheats.Kind), f"{place}: {facts}"
    return told


@part
def unseen_cheats() -> dict[str, Any]:
    """Cheats that were written without knowing the suite, through the same door; how many escape, with its bound."""
    import unseen_cheats as unseen

    count = len(unseen.CHEATS)
    told = unseen.try_all(fingerprint(), lambda cheats: progress("unseen_cheats", cheats, count))
    assert {*told["promoted"], *told["became_challenger"]} <= set(unseen.KNOWN), str(told)
    assert not told["not_carried_out"] and told["honest_passed_the_gate"], str(told)
    return told


@part
def construct_honesty() -> dict[str, Any]:
    """A thousand simulated constructions: intervals hold the truth, nothing is found in nothing, a gap is found."""
    import construct_honesty as honest
    from measured import keep

    told = honest.measure(lambda runs: progress("construct_honesty", runs, len(list(runs))))
    keep("construct_honesty", told)
    assert not told["wrong"], "; ".join(told["wrong"])
    return told


@part
def construct_comparison() -> dict[str, Any]:
    """The construction's search against two others on panels of real systems: harder, and its keys no more often wrong."""
    import construct_comparison as comparison

    told = comparison.measure(list(comparison.FIELDS))
    wrong = [f"{name}: {fault}" for name, panel in told.items() for fault in comparison.faults(panel)]
    assert not wrong, "; ".join(wrong)
    return {name: panel.get("skipped") or panel["budgets"] for name, panel in told.items()}


@part
def saturated_loop() -> dict[str, Any]:
    """A saturated board is followed by a benchmark that is built by itself, and the loop gets to its first place."""
    from measured import keep
    from saturated_loop import measure

    found = measure()
    keep("saturated_loop", found)
    assert found["rank_after"] == 1, found["sweeps"]
    return {"leaders_told_apart_better_by": found["leaders_told_apart_better_by"], "rank_after": 1}


@part
def successor_boards() -> dict[str, Any]:
    """Boards that follow saturated ones tell their leaders, and the arena's competitors, better apart: over pairs."""
    from measured import keep
    from successor_boards import measure

    told = measure()
    keep("successor_boards", told)
    better = {name: told[name]["better_by"] for name in ("leaders", "competitors")}
    assert all(row["interval"][0] > 0 for row in better.values()), better
    return {"told_apart_better_by": better}


@part
def fifteen_benchmarks() -> dict[str, Any]:
    """Fifteen benchmarks from fifteen requests, 500 items or more each: every key computed again, seconds an item."""
    import fifteen_benchmarks as fifteen

    told = fifteen.measure()
    assert not told["wrong"], "; ".join(told["wrong"])
    kept = {name: row["kept"] for name, row in told["benchmarks"].items()}
    return {"sources": told["sources"], "kept": kept, "where": "perf/results/fifteen_benchmarks.json"}


@part
def planted_items() -> dict[str, Any]:
    """Bad items planted in every form of every source, eight classes: all are caught."""
    import planted_items as planted
    from measured import keep

    told = planted.measure(lambda forms: progress("planted_items", forms, len(forms)))
    keep("planted_items", told)
    assert not told["escaped"], "; ".join(told["escaped"][:5])
    return {"good": told["good"], "good_rejected": told["good_rejected"], "classes": told["classes"]}


@part
def construct_killed() -> dict[str, Any]:
    """Constructions over text, media and several steps killed before every file that they write: each ends alike."""
    import construct_killed as killed
    from measured import keep

    told = killed.measure(lambda points: progress("construct_killed", points, len(points)))
    keep("construct_killed", told)
    assert not told["different"], "; ".join(told["different"][:5])
    return {name: {key: each[key] for key in ("writes", "kills")} for name, each in told["requests"].items()}


@part
def construct_consistency() -> dict[str, Any]:
    """Benchmarks on real panels built again: other items of the same descriptions rank alike, as far as noise lets them."""
    import construct_consistency as consistency

    facts = consistency.measure(lambda names: progress("construct_consistency", names, len(names)))
    assert not facts["wrong"], "; ".join(facts["wrong"])
    return {"pairs": {name: [[pair["of"], pair["tau"], pair["ceiling"], pair["verdict"]] for pair in row.get("pairs", [])]
                      for name, row in facts["panels"].items()}}  # fmt: skip


@part
def construct_safety() -> dict[str, Any]:
    """Attacks that twenty constructions find, against as many static ones: more succeed; an instrument check."""
    import construct_safety as attacks
    from measured import keep

    told = attacks.measure(lambda seeds: progress("construct_safety", seeds, len(seeds)))
    keep("construct_safety", told)
    assert told["gain_over"]["static"]["interval"][0] > 0, str(told["gain_over"])
    honest = {name: tuple(row.values()) for name, row in told["systems"].items()}
    ends = ("obeys_everything", "keeps_the_rules", "refuses_everything")
    assert [honest[name] for name in ends] == [(1, 0), (0, 0), (0, 1)], str(honest)
    return {key: told[key] for key in ("attack_success", "over_refusal", "gain_over")}


@part
def year_on_boards() -> dict[str, Any]:
    """Histories of real boards as markets: the loop changes production for the worse more rarely than who has no gate."""
    import year

    if not year.markets():
        return {"skipped": "no histories of boards here"}
    found = year.year(year.WORLDS, 1, lambda jobs: progress("year_on_boards", jobs, len(jobs)))["summary"]
    for name, each in found.items():
        false = {policy: row["false"] for policy, row in each["policies"].items()}
        assert false["loop"] < min(false["greedy"], false["Optuna TPE"]), f"{name}: {false}"
    return {"boards": sum(each["boards"] for each in found.values()), "kept": "perf/results/year.json"}


@part
def predicted_nights() -> dict[str, Any]:
    """Where hypotheses gain what a prediction assumes, nights promote as often as predicted."""
    import prediction_calibration

    found = prediction_calibration.measure(*prediction_calibration.USUAL)
    whole = found["as assumed"]["all nights"]["whole"]
    assert whole["holds"], f"predicted {whole['predicted']}, happened in {whole['interval']}"
    return {"nights": whole["predictions"], "predicted": whole["predicted"], "interval": whole["interval"]}


@part
def lab_arms() -> dict[str, Any]:
    """Both offline agents on eight laboratory tasks, five seeds, fifteen attempts: true feedback, none, sham, a shock."""
    import lab_arms as arms

    told = arms.measure()
    assert not told["left_out"], str(told["left_out"])
    return {key: told[key] for key in ("runs", "tasks", "seeds", "attempts", "inference")}


@part
def lab_check() -> dict[str, Any]:
    """Every laboratory task: anchors, all cheats refused, counts of one program the same twenty times."""
    import lab_check as check

    found = check.measure([])
    wrong = check.faults(found)
    assert not wrong, "; ".join(wrong[:5])
    return {key: found[key] for key in ("sound", "skipped", "cheats", "cheats_by_class")}


@part
def lab_unknown() -> dict[str, Any]:
    """Both offline agents, unchanged, on three programs in three languages that no agent refers to."""
    import lab_unknown as unknown
    from measured import keep

    told = unknown.measure()
    keep("lab_unknown", told)
    return {"gain": told["gain"]}


@part
def lab_kills() -> dict[str, Any]:
    """A laboratory run of thirty attempts, killed five times at random: nothing is lost, nothing is made twice."""
    import lab_kills as kills
    from measured import keep

    told = kills.measure()
    keep("lab_kills", told)
    return {key: told[key] for key in ("attempts", "finished_before_each_kill", "seconds")}


@part
def code_candidates() -> dict[str, Any]:
    """24 code candidates of the bundled solution: what the gate does with each, on real trials that are kept."""
    import code_candidates as candidates
    from measured import keep

    told = candidates.measure()
    keep("code_candidates", told)
    assert not told["wrong"], f"promoted without being helpful: {told['wrong']}"
    return {"outcomes": {name: each["outcome"] for name, each in told["candidates"].items()}}


@part
def code_aa() -> dict[str, Any]:
    """300 edits that keep the meaning and use random numbers otherwise: how many the gate promotes."""
    import code_aa as aa
    from measured import keep

    told = aa.measure()
    keep("code_aa", told)
    found = told[aa.AS_DECLARED.name]
    assert found["upper_95_one_sided"] <= aa.MOST_FALSE, str(found)
    return {key: found[key] for key in ("asked", "false_promotions", "upper_95_one_sided", "refused_as_no_change")}


@part
def code_streams() -> dict[str, Any]:
    """2,000 streams of knobs and code resampled from recorded trials: the loop's false share stays below its budget."""
    import code_streams as streams
    from measured import keep

    told = streams.measure()
    keep("code_streams", told)
    for arm, found in told["arms"].items():
        if arm.startswith("loop"):
            assert found["false_share"]["interval"][1] <= streams.BUDGET, f"{arm}: {found['false_share']}"
    return {arm: {key: each[key] for key in ("true_gain", "false_share")} for arm, each in told["arms"].items()}


@part
def code_ways_in() -> dict[str, Any]:
    """24 code candidates by person, program and scripted model: what differs is the way in, and the gate's code decides."""
    import code_ways_in as ways
    from measured import keep

    told = ways.measure(ways.TRIED)
    keep("code_ways_in", told)
    assert not told["wrong"], "; ".join(told["wrong"])
    assert not told["not_reached"], f"{told['not_reached']} cases were not reached"
    return {
        case: each.get("verdict") or each.get("outcome") or each["status"] for case, each in told["ended"].items()
    }


def fingerprint() -> str:
    """Hash of every file that the results depend on."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *CODE], cwd=ROOT, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    files = sorted(name for name in listed.stdout.splitlines() if (ROOT / name).is_file())
    code = hashlib.sha256()
    for name in files:
        code.update(name.encode() + hashlib.sha256((ROOT / name).read_bytes()).digest())
    return code.hexdigest()[:16]


def results() -> dict[str, Any]:
    """What is known of each part."""
    known: dict[str, Any] = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    return known


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--again", action="store_true", help="run parts that have ended, too")
    wanted = parser.parse_args()
    if unknown := set(wanted.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    code, failed = fingerprint(), []
    for name in wanted.parts or PARTS:
        ended = results().get(name, {})
        if not wanted.again and ended.get("code") == code:
            print(f"[{name}] has ended on this code on {ended['date']}")
            continue
        print(f"[{name}] {PARTS[name].__doc__}", flush=True)
        began = time.monotonic()
        try:
            facts = PARTS[name]()
        except AssertionError as error:
            print(f"[{name}] FAILED: {error}", flush=True)
            failed.append(name)
            continue
        ended = {
            "date": datetime.now(UTC).date().isoformat(), "command": f"python perf/acceptance.py {name}",
            "seconds": round(time.monotonic() - began), "code": code, **facts,
        }  # fmt: skip
        # read again: another part may have ended meanwhile
        RESULT.write_text(json.dumps({**results(), name: ended}, indent=1) + "\n")
        print(f"[{name}] {json.dumps(facts)}", flush=True)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
