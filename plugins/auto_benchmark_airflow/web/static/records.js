// What was read, what waits for a person, what the statistics say about themselves.
import { Action, Away, Box, Diff, Go, Grid, Heading, Part, Text, ago, apiUrl, h, number, path, post, useAddress, useLive, useNews, web } from "./parts.js";
import { Decision } from "./work.js";

export function Papers({ project }) {
  const live = useLive(`${path(project)}/papers`, 30000);
  return h(Part, { title: "Papers", live, isEmpty: (d) => d.length === 0, empty: "No paper has been read yet." },
    (rows) => h(Grid, {
      label: "Papers by priority", rows, rowKey: (p) => p.id,
      columns: [
        { name: "Paper", cell: (p) => (web(p.url) ? h(Away, { href: web(p.url) }, p.title) : p.title) },
        { name: "Source", cell: (p) => p.source },
        { name: "Relevant", cell: (p) => (p.relevant === null ? "not judged" : p.relevant ? "yes" : "no") },
        { name: "Techniques", cell: (p) => p.techniques.join(", ") || "none" },
        { name: "Priority", align: "end", cell: (p) => number(p.priority, 2) },
        { name: "What came of it", cell: (p) => p.disposition || p.reason },
      ],
    }));
}

export function Briefs({ project }) {
  const live = useLive(`${path(project)}/briefs`, 30000);
  return h(Part, { title: "To be built", live, isEmpty: (d) => d.length === 0, empty: "No paper credits what no knob maps." },
    (rows) => h(Grid, {
      label: "Papers that no knob maps", rows, rowKey: (b) => b.paper,
      columns: [
        { name: "Paper", cell: (b) => (web(b.url) ? h(Away, { href: web(b.url) }, b.title) : b.title) },
        { name: "Technique", cell: (b) => b.techniques.map((t) => t.technique).join(", ") },
        { name: "In its words", cell: (b) => `“${b.techniques[0].sentence}”` },
        { name: "Priority", align: "end", cell: (b) => number(b.priority, 2) },
      ],
    }));
}

const ANSWERS = {
  promotion: [["approve", "Approve the promotion", "Why is it right?"], ["reject", "Reject the promotion", "Why not?"]],
  submission: [["approve", "Approve the submission", "Why is it right?"], ["reject", "Reject the submission", "Why not?"]],
  hand_in: [["approve", "Handed in", "Who did it, and when?"], ["reject", "Not now", "Why not?"]],
  our_name: [["approve", "It is ours", "How do you know?"], ["reject", "It is not ours", "How do you know?"]],
  doubt: [["approve", "The board shows this", "How do you know?"], ["reject", "It does not", "What is wrong?"]],
  construction: [["approve", "Build it", "Why is it right?"], ["reject", "Do not build it", "Why not?"]],
  other: [["close", "Close", "What was done about it?"]],
};

// A patch stands last in its question; no line of a patch reads as the line before it does.
const BEFORE_PATCH = "\nIt changes code:\n";

function Brief({ text }) {
  const at = text.lastIndexOf(BEFORE_PATCH);
  const words = at < 0 ? text : text.slice(0, at);
  return h(Box, null,
    h(Text, { whiteSpace: "pre-wrap", overflowWrap: "anywhere", mb: 2 }, words),
    at >= 0 && h(Diff, { text: text.slice(at + BEFORE_PATCH.length) }));
}

export function Escalations({ project, may }) {
  const live = useLive(`${path(project)}/escalations`);
  useNews(live, (now, old) => {
    const known = new Set(old.map((e) => e.key));
    return now.filter((e) => !known.has(e.key)).map((e) => `Waiting for a person: ${e.title}`).join(". ");
  });
  const answer = (e, verb) => (reason) => post(apiUrl(path(project, "escalations", verb)), { key: e.key, reason });
  return h(Part, { title: "Waiting for a person", live, isEmpty: (d) => d.length === 0, empty: "Nothing waits for a person." },
    (rows) => rows.map((e) => h("details", { key: e.key, style: { marginBottom: "0.75rem" } },
      h("summary", { style: { cursor: "pointer" } }, `${e.title} (${ago(e.created_at)})`),
      h(Box, { pl: 4, pt: 2 },
        h(Brief, { text: e.brief }),
        e.outdated && h(Text, { mb: 2 }, `Outdated: ${e.outdated}.`),
        e.decision && h(Decision, { decision: e.decision, withLink: true }),
        may.experiment_sweep && h(Box, { display: "flex", flexWrap: "wrap", gap: 2 }, ANSWERS[e.outdated ? "other" : e.kind].map(([verb, label, ask]) =>
          h(Action, { key: verb, label, ask, run: answer(e, verb) })))))));
}

export function Digests({ project }) {
  const live = useLive(`${path(project)}/digests`, 60000);
  return h(Part, { title: "Weekly digests", live, isEmpty: (d) => d.length === 0, empty: "No digest has been written yet. The first one comes on Monday." },
    (rows) => h(Grid, {
      label: "Weekly digests, newest first", rows, rowKey: (d) => d.week,
      columns: [
        { name: "Week of", cell: (d) => h(Go, { to: { view: "digest", week: d.week } }, d.week) },
        { name: "Changes", align: "end", cell: (d) => d.changes },
        { name: "Experiments", align: "end", cell: (d) => d.completed },
        { name: "Failed validation", align: "end", cell: (d) => d.failed_validation },
        { name: "Promoted", align: "end", cell: (d) => d.promoted },
      ],
    }));
}

const SECTIONS = [
  ["Competitive Position", "lines", "No board had been read."],
  ["What Changed This Week", "changes", "Nothing changed."],
  ["Next Actions (Automated)", "next_actions", "Nothing was queued."],
  ["Waiting for a Person", "escalations", "Nothing waited for a person."],
];

export function Digest({ project }) {
  const [query] = useAddress();
  const week = query.get("week") || "";
  const live = useLive(path(project, "digests", week), 60000);
  const list = (lines, empty) => (lines && lines.length > 0
    ? h(Box, { as: "ul", pl: 5, listStyleType: "disc" }, lines.map((line, i) => h("li", { key: i, style: { overflowWrap: "anywhere" } }, line)))
    : h(Text, { color: "fg.muted" }, empty));
  return h(Part, { title: `Digest of the week of ${week}`, live }, ({ facts: f }) => h(Box, null,
    SECTIONS.map(([title, name, empty]) => h(Box, { key: name, mb: 4 }, h(Heading, { as: "h3", size: "sm", mb: 1 }, title), list(f[name], empty))),
    h(Heading, { as: "h3", size: "sm", mb: 1 }, "Experiments Run This Week"),
    h(Text, null, `${f.completed} completed, ${f.failed_validation} failed fast validation, ${f.promoted} promoted`),
    h(Text, { mt: 3 }, h(Go, { to: { view: "digests" } }, "All digests"))));
}

export function Log({ project }) {
  const live = useLive(`${path(project)}/log`);
  return h(Part, { title: "Decision log", live, isEmpty: (d) => d.length === 0, empty: "Nothing has been decided yet." },
    (rows) => h(Grid, {
      label: "Decision log, newest first", rows,
      columns: [
        { name: "When", cell: (e) => ago(e.at) }, { name: "What", cell: (e) => e.kind },
        { name: "About", cell: (e) => e.subject }, { name: "Why", cell: (e) => e.reason },
      ],
    }));
}

function Figure({ name, value, note }) {
  return h(Box, { borderWidth: "1px", borderRadius: "md", p: 3, minW: "8.5rem", flex: "1" },
    h(Text, { as: "dt", fontSize: "sm", color: "fg.muted" }, name),
    h(Text, { as: "dd", fontSize: "xl" }, value),
    note && h(Text, { as: "dd", fontSize: "sm", color: "fg.muted" }, note));
}

export function Summary({ project }) {
  const live = useLive(`${path(project)}/summary`);
  return h(Part, { title: "At a glance", live }, (s) => {
    const share = (v) => `${(100 * v).toFixed(1)} %`;
    const queries = Object.entries(s.split_queries).flatMap(([split, purposes]) => Object.entries(purposes).map(([purpose, n]) => ({ split, purpose, n })));
    return h(Box, null,
      h(Box, { as: "dl", display: "flex", flexWrap: "wrap", gap: 3 },
        h(Figure, { name: "Level left to spend", value: number(s.alpha_wealth, 4), note: "on false promotions" }),
        h(Figure, { name: "A/A promoted by mistake", value: s.aa ? share(s.aa.rate) : "—", note: s.aa ? `95 % interval ${s.aa.interval.map(share).join(" to ")}` : "no comparison yet" }),
        h(Figure, { name: "Trials today", value: `${s.spent_day.trials} of ${s.budget.trials}` }),
        h(Figure, { name: "Hours today", value: `${number(s.spent_day.hours, 1)} of ${s.budget.hours}` }),
        h(Figure, { name: "Money today", value: `${number(s.spent_day.money, 2)} of ${s.budget.money} ${s.budget.currency}` }),
        h(Figure, { name: "Waiting for a person", value: String(s.escalations) })),
      h("details", { style: { marginTop: "0.75rem" } },
        h("summary", { style: { cursor: "pointer" } }, "Whose level it is"),
        h(Grid, { label: "Level by source", rows: s.levels, columns: [
          { name: "Source", cell: (l) => l.source }, { name: "Share", align: "end", cell: (l) => share(l.share) },
          { name: "Judged", align: "end", cell: (l) => l.judged }, { name: "Promoted", align: "end", cell: (l) => l.promoted },
          { name: "Level of the next", align: "end", cell: (l) => number(l.next_level, 5) },
        ] })),
      s.sources.length > 0 && h("details", { style: { marginTop: "0.75rem" } },
        h("summary", { style: { cursor: "pointer" } }, "What claims were worth, by source"),
        h(Grid, { label: "Claims by source", rows: s.sources, columns: [
          { name: "Source", cell: (c) => c.source }, { name: "Judged", align: "end", cell: (c) => c.judged },
          { name: "Promoted", align: "end", cell: (c) => c.promoted },
          { name: "Claimed", align: "end", cell: (c) => number(c.claimed, 4) }, { name: "Measured", align: "end", cell: (c) => number(c.measured, 4) },
          { name: "Expected of the next claim", align: "end", cell: (c) => share(c.worth) },
        ] })),
      queries.length > 0 && h("details", { style: { marginTop: "0.75rem" } },
        h("summary", { style: { cursor: "pointer" } }, "How often the held-out splits were asked"),
        h(Grid, { label: "Queries of splits", rows: queries, columns: [
          { name: "Split", cell: (q) => q.split }, { name: "Purpose", cell: (q) => q.purpose }, { name: "Queries", align: "end", cell: (q) => q.n },
        ] })));
  });
}
