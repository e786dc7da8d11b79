// What was read, what waits for a person, what the statistics say about themselves.
import { Action, Box, Grid, Part, Text, ago, apiUrl, h, number, path, post, useLive } from "./parts.js";

// Addresses come from papers: only the web's own schemes become links.
const web = (url) => (/^https?:\/\//i.test(url || "") ? url : null);

export function Papers({ project }) {
  const live = useLive(`${path(project)}/papers`, 30000);
  return h(Part, { title: "Papers", live, isEmpty: (d) => d.length === 0, empty: "No paper has been read yet." },
    (rows) => h(Grid, {
      label: "Papers by priority", rows, rowKey: (p) => p.id,
      columns: [
        { name: "Paper", cell: (p) => (web(p.url) ? h("a", { href: web(p.url), target: "_blank", rel: "noreferrer noopener" }, p.title) : p.title) },
        { name: "Source", cell: (p) => p.source },
        { name: "Relevant", cell: (p) => (p.relevant === null ? "not judged" : p.relevant ? "yes" : "no") },
        { name: "Techniques", cell: (p) => p.techniques.join(", ") || "none" },
        { name: "Priority", align: "end", cell: (p) => number(p.priority, 2) },
        { name: "What came of it", cell: (p) => p.disposition || p.reason },
      ],
    }));
}

export function Escalations({ project, may }) {
  const live = useLive(`${path(project)}/escalations`);
  return h(Part, { title: "Waiting for a person", live, isEmpty: (d) => d.length === 0, empty: "Nothing waits for a person." },
    (rows) => rows.map((e) => h("details", { key: e.key, style: { marginBottom: "0.75rem" } },
      h("summary", { style: { cursor: "pointer" } }, `${e.title} (${ago(e.created_at)})`),
      h(Box, { pl: 4, pt: 2 },
        h(Text, { whiteSpace: "pre-wrap", overflowWrap: "anywhere" }, e.brief),
        may.experiment_sweep && e.key.startsWith("approve-promotion/") && h(Action, {
          label: "Approve the promotion", ask: "Why is it right?",
          run: (reason) => post(apiUrl(path(project, "decisions", e.decision_id, "approve")), { reason }),
        })))));
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
  return h(Box, { borderWidth: "1px", borderRadius: "md", p: 3, minW: "11rem", flex: "1" },
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
      queries.length > 0 && h("details", { style: { marginTop: "0.75rem" } },
        h("summary", { style: { cursor: "pointer" } }, "How often the held-out splits were asked"),
        h(Grid, { label: "Queries of splits", rows: queries, columns: [
          { name: "Split", cell: (q) => q.split }, { name: "Purpose", cell: (q) => q.purpose }, { name: "Queries", align: "end", cell: (q) => q.n },
        ] })));
  });
}
