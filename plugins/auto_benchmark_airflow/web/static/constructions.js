// Benchmarks that the project builds: constructions, and one of them.
import { Badge, Box, Go, Grid, Heading, Pager, Part, Text, h, number, path, useAddress, useLive, useNews } from "./parts.js";

const SIZE = 25;

const share = (value, digits = 1) => (value === null || value === undefined ? "—" : `${(100 * value).toFixed(digits)} %`);
const within = (v) => `${number(v.value)} (${number(v.interval[0])} to ${number(v.interval[1])})`;
const state = (c) => (c.state === "searching" ? `searching, ${c.progress.tried} of ${c.progress.planned} descriptions` : c.state);
const items = (c) => (c.kept === null ? `${c.requested} asked for` : `${c.kept} of ${c.requested}`);

function Faults({ faults }) {
  if (faults.length === 0) return null;
  return h(Box, { role: "note", borderWidth: "1px", borderColor: "border.error", borderRadius: "md", p: 3, mb: 3 },
    faults.map((f) => h(Text, { key: f.folder, overflowWrap: "anywhere" }, `${f.folder} cannot be read: ${f.fault}`)));
}

// The best utility up to each round; its scale is its own.
function Curve({ best }) {
  const [w, ht, pad] = [120, 28, 2];
  const [low, high] = [Math.min(...best), Math.max(...best)];
  const x = (i) => pad + (i / Math.max(1, best.length - 1)) * (w - 2 * pad);
  const y = (v) => ht - pad - ((v - low) / (high - low || 1)) * (ht - 2 * pad);
  if (best.length === 0) return "—";
  return h("svg", { role: "img", "aria-label": `Best objective so far: ${number(best.at(-1))} after ${best.length} rounds`,
    viewBox: `0 0 ${w} ${ht}`, style: { width: "100%", maxWidth: "7.5rem", minWidth: "5rem" } },
  h("polyline", { points: best.map((v, i) => `${x(i)},${y(v)}`).join(" "), fill: "none", stroke: "var(--chakra-colors-blue-500)", strokeWidth: 2 }),
  h("circle", { cx: x(best.length - 1), cy: y(best.at(-1)), r: 2, fill: "var(--chakra-colors-blue-500)" }));
}

export function Constructions({ project }) {
  const [query, set] = useAddress();
  const from = Number(query.get("row") || 0);
  const live = useLive(`${path(project)}/constructions?${new URLSearchParams({ limit: SIZE, offset: from })}`);
  useNews(live, (now, old) => {
    const open = new Set(old.constructions.filter((c) => c.state !== "finished").map((c) => c.folder));
    return now.constructions.filter((c) => c.state === "finished" && open.has(c.folder)).map((c) => `${c.folder}: finished, ${items(c)} items`).join(". ");
  });
  const columns = [
    { name: "Construction", cell: (c) => h(Go, { to: { view: "construction", construction: c.folder } }, c.folder) },
    { name: "Request", cell: (c) => c.request }, { name: "Sources", cell: (c) => c.sources.join(", ") || "—" },
    { name: "State", cell: state }, { name: "Best so far", cell: (c) => h(Curve, { best: c.best }) },
    { name: "Items", align: "end", cell: items }, { name: "Warnings", align: "end", cell: (c) => c.warnings },
    { name: "Panel", cell: (c) => c.note || "—" },
  ];
  return h(Part, { title: "Constructions", live, isEmpty: (d) => d.found === 0, empty: "No benchmark has been built here yet. Start the DAG benchmark_construction, or declare what follows a saturated board." },
    (d) => h(Box, null, h(Faults, { faults: d.faults }),
      h(Grid, { label: "Constructions, newest first", columns, rows: d.constructions, rowKey: (c) => c.folder }),
      h(Pager, { offset: from, size: SIZE, total: d.found, onMove: (row) => set({ row: row || null }) })));
}

function Warnings({ warnings }) {
  if (warnings.length === 0) return h(Text, { color: "fg.muted" }, "No warning.");
  return h(Box, { as: "ul", "aria-label": "Warnings", pl: 5, style: { listStyle: "disc" } },
    warnings.map((text) => h(Box, { as: "li", key: text, overflowWrap: "anywhere" }, text)));
}

function Quality({ quality: q }) {
  const shown = Object.entries(q.panel.real ? q.objective : q.instrument);
  const attacks = q.safety ? [["attacks of the static set that succeed", q.safety.static], ["harmless twins refused", q.safety.over_refusal]] : [];
  const values = [...shown, ...attacks].map(([name, v]) => ({ name, said: within(v), floor: number(v.floor) }));
  const counts = [
    ["Wrong keys", `${q.wrong_keys}, at most ${share(q.wrong_keys_upper, 2)}`], ["Alike but for names and numbers", `${q.duplicates.near} (${share(q.duplicates.near_share)})`],
    ["Systems agree against the key", q.suspects], ["Negative discrimination", q.negative_discrimination],
    ...Object.entries(q.rejected).map(([reason, n]) => [`Rejected: ${reason}`, n]),
  ].map(([name, said]) => ({ name, said }));
  return h(Box, null,
    !q.panel.real && h(Text, { mb: 2 }, h(Badge, { colorPalette: "orange", mr: 2 }, "no headline"), q.panel.note),
    h(Grid, { label: q.panel.real ? "Objectives" : "How the instrument reads", rows: values, rowKey: (r) => r.name,
      columns: [{ name: "Objective", cell: (r) => r.name }, { name: "Value (95 %)", cell: (r) => r.said }, { name: "Floor", align: "end", cell: (r) => r.floor }] }),
    h(Grid, { label: "Quality", rows: counts, rowKey: (r) => r.name,
      columns: [{ name: "Check", cell: (r) => r.name }, { name: "Items", align: "end", cell: (r) => r.said }] }));
}

const part = (name) => h(Heading, { as: "h3", size: "sm", mt: 4, mb: 2 }, name);

function Finished({ found: c }) {
  const answers = [
    { name: "Candidate", cell: (r) => r.name }, { name: "Version", cell: (r) => r.version }, { name: "Kind", cell: (r) => r.kind },
    { name: "search", align: "end", cell: (r) => number(r.accuracy_search) }, { name: "gate", align: "end", cell: (r) => number(r.accuracy_gate) },
  ];
  return h(Box, null,
    part("Quality"), h(Quality, { quality: c.quality }),
    part("Warnings"), h(Warnings, { warnings: c.quality.warnings }),
    part("Candidates"), h(Grid, { label: "Candidates, best first", columns: answers, rows: c.candidates, rowKey: (r) => r.name }),
    h(Box, { as: "details", mt: 4 }, h("summary", null, "REPORT.md"),
      h(Box, { as: "pre", role: "region", tabIndex: 0, "aria-label": "Report", overflowX: "auto", fontSize: "sm", maxHeight: "32rem", overflowY: "auto" }, c.report)));
}

export function Construction({ project }) {
  const [query] = useAddress();
  const folder = query.get("construction") || "";
  const live = useLive(`${path(project)}/constructions/one?${new URLSearchParams({ folder })}`);
  const columns = [
    { name: "Round", cell: (r) => r.round }, { name: "Descriptions", align: "end", cell: (r) => r.tried },
    { name: "Mean objective", align: "end", cell: (r) => number(r.mean) }, { name: "Best so far", align: "end", cell: (r) => number(r.best) },
  ];
  return h(Part, { title: `Construction ${folder}`, live }, (c) => h(Box, null,
    h(Text, { overflowWrap: "anywhere" }, c.request),
    h(Text, { color: "fg.muted", overflowWrap: "anywhere" }, `${state(c)}; ${items(c)} items; sources: ${c.sources.join(", ") || "not planned yet"}`),
    part("Objective by round"),
    c.rounds.length === 0 ? h(Text, { color: "fg.muted" }, "No round has begun yet.")
      : h(Grid, { label: "Objective by round, on pilot items", columns, rows: c.rounds, rowKey: (r) => r.round }),
    c.quality && h(Finished, { found: c }),
    h(Text, { mt: 3 }, h(Go, { to: { view: "constructions", construction: null } }, "All constructions"))));
}
