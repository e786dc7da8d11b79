// What the loop does: the queue, running trials, decisions, one hypothesis.
import { Propose } from "./propose.js";
import { Action, Away, Badge, Box, Button, Diff, Go, Grid, Heading, Part, Text, ago, apiUrl, dagOf, h, number, path, post, seconds, signed, startDag, useAddress, useLive, useNews, useState, web } from "./parts.js";

const COLOURS = { promote: "green", challenger: "teal", reject: "red", futile: "red" };

export function Queue({ project, may }) {
  const live = useLive(`${path(project)}/queue`);
  const act = (h_, verb) => (reason) => post(apiUrl(`${path(project, "hypotheses", h_.id, verb)}`), { reason });
  const urgent = may.experiment_sweep_urgent && h(Action, {
    label: "Urgent sweep", ask: "Run the best hypothesis now, with one seed first?", needsReason: false,
    run: () => startDag(dagOf(project, "experiment_sweep_urgent"), { asked_by: "the page" }),
  });
  const extra = h(Box, { display: "flex", flexWrap: "wrap", gap: 2 }, urgent, may.experiment_sweep && h(Propose, { project }));
  const columns = [
    { name: "Hypothesis", cell: (q) => h(Go, { to: { view: "hypothesis", id: q.id } }, `${q.id} ${q.title}`) },
    { name: "Priority", align: "end", cell: (q) => number(q.priority_score, 1) },
    { name: "Urgency", cell: (q) => h(Badge, { colorPalette: q.urgency === "urgent" ? "red" : "gray" }, q.urgency) },
    { name: "Status", cell: (q) => q.status },
    { name: "Why", cell: (q) => `${q.claim} Estimated gain ${signed(q.implementation.estimated_gain)}, effort ${q.implementation.effort}. ${q.reason}` },
    { name: "Boards", cell: (q) => q.target_leaderboards.join(", ") },
  ];
  if (may.experiment_sweep) {
    columns.push({
      name: "By hand", cell: (q) => q.status === "queued"
        ? h(Action, { label: `Pause ${q.id}`, ask: "Why should it wait?", run: act(q, "pause") })
        : q.status === "paused" ? h(Action, { label: `Resume ${q.id}`, ask: "Why may it run?", run: act(q, "resume") }) : "—",
    });
  }
  return h(Part, { title: "Queue", live, extra, isEmpty: (d) => d.length === 0, empty: "Nothing is queued. The next sweep searches." },
    (rows) => h(Grid, { label: "Queue, best first", columns, rows, rowKey: (q) => q.id }));
}

export function Running({ project }) {
  const live = useLive(`${path(project)}/running`, 2000);
  const left = (t) => {
    if (!t.expected_s) return "unknown: the first of its kind";
    const s = t.expected_s - t.elapsed_s;
    return s > 0 ? `about ${seconds(s)}` : "longer than usual";
  };
  const bar = (t) => h("progress", {
    max: 1, value: t.expected_s ? Math.min(1, t.elapsed_s / t.expected_s) : undefined, "aria-label": `Trial ${t.id}, seed ${t.seed}`,
  });
  return h(Part, { title: "Running trials", live, isEmpty: (d) => d.length === 0, empty: "No trial is running." },
    (rows) => h(Grid, {
      label: "Running trials", rows, rowKey: (t) => t.id,
      columns: [
        { name: "Trial", cell: (t) => `${t.id}: ${t.solution}, ${t.purpose}, seed ${t.seed}` },
        { name: "Hypothesis", cell: (t) => (t.hypothesis_id ? h(Go, { to: { view: "hypothesis", id: t.hypothesis_id } }, t.hypothesis_id) : "—") },
        { name: "Stage", cell: (t) => `${t.stage} (${t.queue})` },
        { name: "Progress", cell: bar },
        { name: "Runs for", cell: (t) => seconds(t.elapsed_s) },
        { name: "Time left", cell: left },
      ],
    }));
}

function Criteria({ decision }) {
  return h(Grid, {
    label: `Criteria of decision ${decision.id}`, rows: decision.criteria, rowKey: (c) => c.name,
    columns: [
      { name: "Criterion", cell: (c) => c.name.replace("_", " ") },
      { name: "Value", align: "end", cell: (c) => number(c.value, 5) },
      { name: "Threshold", align: "end", cell: (c) => number(c.threshold, 5) },
      { name: "Passed", cell: (c) => h(Badge, { colorPalette: c.passed ? "green" : "red" }, c.passed ? "yes" : "no") },
      { name: "Why", cell: (c) => c.reason },
    ],
  });
}

export function Decision({ decision, withLink }) {
  const d = decision;
  const numbers = d.estimate === null ? `${d.n} seeds` : `${signed(d.estimate, 4)} [${d.interval ? d.interval.map((v) => signed(v, 4)).join(", ") : "no interval"}] on ${d.n} seeds`;
  return h("details", { style: { marginBottom: "0.75rem" } },
    h("summary", { style: { cursor: "pointer" } },
      h(Badge, { colorPalette: COLOURS[d.verdict] || "gray", mr: 2 }, d.verdict),
      `decision ${d.id}, look ${d.look}${d.hypothesis_id ? `, ${d.hypothesis_id}` : ` (${d.kind})`}: ${numbers}, ${ago(d.decided_at)}`),
    h(Box, { pl: 4, pt: 2 },
      h(Text, { mb: 2 }, d.reason),
      h(Criteria, { decision: d }),
      h(Text, { fontSize: "sm", color: "fg.muted", mt: 1 },
        `Trials ${d.trials.join(", ") || "none"}. Level spent ${number(d.alpha_spent, 4)}, left ${number(d.alpha_wealth, 4)}. Evidence ${d.sha256.slice(0, 12)}; replay: auto-benchmark stats replay ${d.id}`),
      withLink && d.hypothesis_id && h(Go, { to: { view: "hypothesis", id: d.hypothesis_id } }, `All about ${d.hypothesis_id}`)));
}

export function Decisions({ project, limit = 20 }) {
  const [before, setBefore] = useState(null);
  const asked = new URLSearchParams({ limit, ...(before && { before }) });
  const live = useLive(`${path(project)}/decisions?${asked}`);
  useNews(live, (now, old) => {
    const known = new Set(old.map((d) => d.id));
    return now.filter((d) => !known.has(d.id)).map((d) => `Decision ${d.id}: ${d.verdict} ${d.hypothesis_id || d.kind}`).join(". ");
  });
  return h(Part, { title: "Decisions", live, isEmpty: (d) => d.length === 0 && !before, empty: "The gate has not decided anything yet." },
    (rows) => h(Box, null,
      rows.map((d) => h(Decision, { key: d.id, decision: d, withLink: true })),
      h(Box, { display: "flex", gap: 2 },
        before && h(Button, { size: "xs", variant: "outline", onClick: () => setBefore(null) }, "Newest"),
        rows.length === limit && h(Button, { size: "xs", variant: "outline", onClick: () => setBefore(rows.at(-1).id) }, "Older"))));
}

// Estimate and interval of the improvement at every look.
function Intervals({ decisions }) {
  const known = decisions.filter((d) => d.estimate !== null && d.interval);
  if (known.length === 0) return null;
  const [w, step, pad] = [640, 26, 150];
  const ends = known.flatMap((d) => d.interval).concat(0);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const x = (v) => pad + ((v - low) / (high - low || 1)) * (w - pad - 20);
  const ht = known.length * step + 26;
  const said = known.map((d) => `look ${d.look}: ${signed(d.estimate, 4)}, interval ${signed(d.interval[0], 4)} to ${signed(d.interval[1], 4)}`).join("; ");
  return h("svg", { role: "img", "aria-label": `Improvement by look. ${said}`, viewBox: `0 0 ${w} ${ht}`, style: { width: "100%", maxWidth: "44rem" } },
    h("line", { x1: x(0), x2: x(0), y1: 0, y2: ht - 20, stroke: "currentColor", strokeDasharray: "4 3" }),
    h("text", { x: x(0), y: ht - 5, fontSize: 11, textAnchor: "middle", fill: "currentColor" }, "no change"),
    known.map((d, i) => {
      const y = i * step + 14;
      return h("g", { key: d.id },
        h("text", { x: 4, y: y + 4, fontSize: 11, fill: "currentColor" }, `look ${d.look}, ${d.n} seeds`),
        h("line", { x1: x(d.interval[0]), x2: x(d.interval[1]), y1: y, y2: y, stroke: "var(--chakra-colors-blue-500)", strokeWidth: 2 }),
        h("circle", { cx: x(d.estimate), cy: y, r: 4, fill: "var(--chakra-colors-blue-500)" }));
    }));
}

// What the paper says in its own words.
function Source({ paper }) {
  return h("figure", { style: { margin: "0.5rem 0" } },
    paper.sentences.map((s, i) => h(Box, { as: "blockquote", key: i, borderLeftWidth: "3px", pl: 3, my: 1, overflowWrap: "anywhere" }, s)),
    h(Box, { as: "figcaption", fontSize: "sm" }, web(paper.url) ? h(Away, { href: web(paper.url) }, paper.title) : paper.title));
}

export function Hypothesis({ project, may }) {
  const [query] = useAddress();
  const id = query.get("id") || "";
  const live = useLive(path(project, "hypotheses", id));
  return h(Part, { title: `Hypothesis ${id}`, live }, ({ hypothesis: q, priority_reason: why, diff, remarks, papers, trials, decisions, mlflow, self_reported: own }) => {
    const names = [...new Set(trials.flatMap((t) => Object.keys(t.metrics)))].filter((name) => name !== "wall_s").slice(0, 6);
    const columns = [
      { name: "Trial", cell: (t) => `${t.id}: ${t.purpose}` }, { name: "Stage", cell: (t) => t.stage },
      { name: "Seed", align: "end", cell: (t) => t.seed },
      { name: "State", cell: (t) => (t.failure_class ? `${t.state}: ${t.failure_class}` : t.state) },
      ...names.map((name) => ({ name: own.includes(name) ? `${name} (self-reported)` : name, align: "end", cell: (t) => number(t.metrics[name], 4) })),
      { name: "Seconds", align: "end", cell: (t) => number(t.wall_s, 1) },
    ];
    if (may.experiment_sweep) {
      columns.push({ name: "By hand", cell: (t) => (t.state === "cancelled" ? t.message : h(Action, {
        label: `Invalidate ${t.id}`, ask: "Why can it not be trusted?",
        run: (reason) => post(apiUrl(path(project, "trials", t.id, "invalidate")), { reason }),
      })) });
    }
    return h(Box, null,
      h(Heading, { as: "h3", size: "sm" }, q.title),
      h(Text, null, q.claim), h(Text, { color: "fg.muted" }, `Source: ${q.source}. ${why}`), papers.map((p) => h(Source, { key: p.id, paper: p })),
      h(Text, { my: 2 }, `${q.status}${q.reason ? `: ${q.reason}` : ""}`),
      h("pre", { style: { overflowX: "auto" }, tabIndex: 0, "aria-label": "Patch of the configuration" }, JSON.stringify(q.implementation.patch, null, 2)),
      remarks.length > 0 && h(Text, { mt: 2 }, "Besides its data, the changed code (a list that helps to read it, and proves nothing):"),
      remarks.length > 0 && h("ul", { "aria-label": "What the changed code looks at" }, remarks.map((each) => h("li", { key: each }, each))),
      diff && h(Diff, { text: diff }),
      mlflow && h("p", null, h(Away, { href: apiUrl(path(project, "hypotheses", id, "mlflow")) }, "Runs in MLflow")),
      h(Heading, { as: "h3", size: "sm", mt: 4, mb: 2 }, "Improvement"), h(Intervals, { decisions }),
      decisions.length === 0 ? h(Text, { color: "fg.muted" }, "Nothing has been decided yet.") : decisions.map((d) => h(Decision, { key: d.id, decision: d })),
      h(Heading, { as: "h3", size: "sm", mt: 4, mb: 2 }, "Trials"),
      trials.length === 0 ? h(Text, { color: "fg.muted" }, "No trial has run yet.") : h(Grid, { label: `Trials of ${id}`, columns, rows: trials, rowKey: (t) => t.id }));
  });
}
