// What agents reached on laboratory tasks: runs, and the attempts of one.
import { Badge, Box, Go, Grid, Heading, Pager, Part, Text, h, number, path, seconds, useAddress, useLive, useNews } from "./parts.js";

const SIZE = 25;
const MEDALS = { gold: "yellow", silver: "gray", bronze: "orange" };

const arm = (r) => (r.shock ? `${r.feedback}, shock at ${r.shock}` : r.feedback);
const medal = (r) => (r.medal ? h(Badge, { colorPalette: MEDALS[r.medal] }, r.medal) : "—");
const state = (r) => (r.state === "finished" ? "finished" : `attempt ${r.made} of ${r.attempts}`);

function Faults({ faults }) {
  if (faults.length === 0) return null;
  return h(Box, { role: "note", borderWidth: "1px", borderColor: "border.error", borderRadius: "md", p: 3, mb: 3 },
    faults.map((f) => h(Text, { key: f.folder, overflowWrap: "anywhere" }, `${f.folder} cannot be read: ${f.fault}`)));
}

// The best reward so far: baseline, reference and stretch are 0, one half and 1.
function Curve({ curve, attempts, small }) {
  const [w, ht, pad] = small ? [120, 28, 2] : [640, 200, 40];
  const top = Math.max(1, ...curve);
  const x = (i) => pad + (i / Math.max(1, attempts - 1)) * (w - 2 * pad);
  const y = (v) => ht - pad - (v / top) * (ht - 2 * pad);
  const last = curve.length ? number(curve.at(-1)) : "none";
  const anchors = [[0, "baseline"], [0.5, "reference"], [1, "stretch"]];
  return h("svg", { role: "img", "aria-label": `Best reward so far: ${last} after ${curve.length} attempts`, viewBox: `0 0 ${w} ${ht}`,
    style: { width: "100%", maxWidth: small ? "7.5rem" : "44rem", minWidth: small ? "5rem" : undefined } },
    !small && anchors.map(([v, name]) => h("g", { key: name },
      h("line", { x1: pad, x2: w - pad, y1: y(v), y2: y(v), stroke: "currentColor", strokeDasharray: "4 3", opacity: 0.4 }),
      h("text", { x: w - pad, y: y(v) - 3, fontSize: 11, textAnchor: "end", fill: "currentColor" }, name))),
    !small && h("text", { x: pad, y: ht - 8, fontSize: 11, fill: "currentColor" }, "attempt 1"),
    !small && h("text", { x: w - pad, y: ht - 8, fontSize: 11, textAnchor: "end", fill: "currentColor" }, `attempt ${attempts}`),
    h("polyline", { points: curve.map((v, i) => `${x(i)},${y(v)}`).join(" "), fill: "none", stroke: "var(--chakra-colors-blue-500)", strokeWidth: 2 }),
    curve.length > 0 && h("circle", { cx: x(curve.length - 1), cy: y(curve.at(-1)), r: small ? 2 : 4, fill: "var(--chakra-colors-blue-500)" }));
}

export function LabRuns({ project }) {
  const [query, set] = useAddress();
  const from = Number(query.get("row") || 0);
  const live = useLive(`${path(project)}/lab?${new URLSearchParams({ limit: SIZE, offset: from })}`);
  useNews(live, (now, old) => {
    const open = new Set(old.runs.filter((r) => r.state !== "finished").map((r) => r.folder));
    return now.runs.filter((r) => r.state === "finished" && open.has(r.folder)).map((r) => `${r.folder}: finished, reward ${number(r.result.reward)}`).join(". ");
  });
  const columns = [
    { name: "Run", cell: (r) => h(Go, { to: { view: "labrun", folder: r.folder } }, r.folder) },
    { name: "Task", cell: (r) => r.task }, { name: "Agent", cell: (r) => r.agent }, { name: "Feedback", cell: arm },
    { name: "State", cell: state }, { name: "Valid", align: "end", cell: (r) => `${r.valid} of ${r.made}` },
    { name: "Best so far", cell: (r) => h(Curve, { curve: r.curve, attempts: r.attempts, small: true }) },
    { name: "Verified reward", align: "end", cell: (r) => (r.result ? number(r.result.reward) : "—") },
    { name: "Medal", cell: medal },
  ];
  return h(Part, { title: "Laboratory", live, isEmpty: (d) => d.found === 0, empty: "No agent has worked on a laboratory task yet. Start the DAG lab_run." },
    (d) => h(Box, null, h(Faults, { faults: d.faults }),
      h(Grid, { label: "Runs of agents, newest first", columns, rows: d.runs, rowKey: (r) => r.folder }),
      h(Pager, { offset: from, size: SIZE, total: d.found, onMove: (row) => set({ row: row || null }) })));
}

function Result({ run }) {
  const { result: r, resilience: s } = run;
  if (!r) return h(Text, null, `The run goes on, or was stopped: ${run.made.length} of ${run.attempts} attempts have been made.`);
  const [low, high] = r.interval;
  const score = r.valid ? `score ${number(r.score, 4)}${low === null ? "" : ` [${number(low, 4)}, ${number(high, 4)}]`}, reward ${number(r.reward)}` : `not valid: ${r.reason || "no reason is known"}`;
  const told = [
    ["Closed-loop gain", number(s.closed_loop_gain)], ["Recovery", number(s.recovery)], ["Recovery by chance", number(s.recovery_expected)],
    ["Pivots", String(s.pivots.length)], ["Attempts to regain after the shock", s.shock_attempts === null ? "—" : String(s.shock_attempts)],
  ];
  return h(Box, null,
    h(Text, { overflowWrap: "anywhere" }, `Chosen: ${run.chosen === null ? "none" : `attempt ${run.chosen}`}; verified anew on ${r.seeds} seeds: ${score} `, run.medal && medal(run)),
    h(Box, { as: "dl", display: "flex", flexWrap: "wrap", gap: 4, my: 2 }, told.map(([name, value]) =>
      h(Box, { key: name }, h(Text, { as: "dt", fontSize: "sm", color: "fg.muted" }, name), h(Text, { as: "dd" }, value)))));
}

export function LabRun({ project }) {
  const [query] = useAddress();
  const folder = query.get("folder") || "";
  const live = useLive(`${path(project)}/lab/run?${new URLSearchParams({ folder })}`);
  const columns = [
    { name: "Attempt", cell: (a) => a.attempt }, { name: "Valid", cell: (a) => (a.valid ? "yes" : "no") },
    { name: "Score", align: "end", cell: (a) => number(a.score, 4) }, { name: "Reward", align: "end", cell: (a) => number(a.reward) },
    { name: "Measured", align: "end", cell: (a) => a.measures }, { name: "Took", align: "end", cell: (a) => seconds(a.seconds) },
    { name: "Tokens", align: "end", cell: (a) => a.tokens }, { name: "Why", cell: (a) => a.reason || "—" },
  ];
  return h(Part, { title: `Run ${folder}`, live }, (run) => h(Box, null,
    h(Text, null, `${run.agent} on ${run.task}, feedback ${arm(run)}`),
    h(Curve, { curve: run.curve, attempts: run.attempts }),
    h(Result, { run }),
    h(Heading, { as: "h3", size: "sm", mt: 4, mb: 2 }, "Attempts"),
    run.made.length === 0 ? h(Text, { color: "fg.muted" }, "No attempt has ended yet.")
      : h(Grid, { label: "Attempts in order", columns, rows: run.made, rowKey: (a) => a.attempt }),
    h(Text, { mt: 3 }, h(Go, { to: { view: "lab", folder: null } }, "All runs"))));
}
