// Where we stand: boards, one board over time, systems against boards.
import { Action, Badge, Box, Go, Grid, Input, Pager, Part, Text, ago, dagOf, h, number, path, signed, startDag, useAddress, useLive, useNews, useState } from "./parts.js";

const PAGE = 50;

function trend(row) {
  if (!row.moved) return h("span", { "aria-label": "rank unchanged" }, "·");
  const up = row.moved > 0;
  return h("span", { "aria-label": `${Math.abs(row.moved)} ranks ${up ? "up" : "down"}` }, `${up ? "▲" : "▼"} ${Math.abs(row.moved)}`);
}

function standing(row) {
  const parts = [h(Badge, { key: "mode", colorPalette: row.mode === "defense" ? "green" : "orange" }, row.mode)];
  if (row.victory) parts.push(" ", h(Badge, { key: "won", colorPalette: "purple", title: row.victory_text }, "victory"));
  return parts;
}

function freshness(row) {
  const text = ago(row.seen_at);
  return row.stale ? h("span", { title: row.problem || undefined }, h(Badge, { colorPalette: "red" }, "stale"), ` ${text}`) : text;
}

const rank = (row) => (row.rank === null ? "not listed" : `#${row.rank}`);

export const BOARD_COLUMNS = [
  { name: "Board", sort: "board", cell: (b) => h(Go, { to: { view: "board", board: b.board } }, b.board) },
  { name: "Rank", sort: "rank", cell: rank },
  { name: "Trend", cell: trend },
  { name: "Our score", sort: "score", align: "end", cell: (b) => number(b.score) },
  { name: "Measured by us", align: "end", cell: (b) => number(b.measured) },
  { name: "Gap", sort: "gap", align: "end", cell: (b) => signed(b.gap) },
  { name: "Leader", cell: (b) => (b.leader ? `${b.leader} (${number(b.leader_score)})` : "—") },
  { name: "State", cell: standing },
  { name: "Seen", sort: "freshness", cell: freshness },
];

export function Boards({ project, may }) {
  const [query, set] = useAddress();
  const [by, down, offset] = [query.get("sort") || "position", query.get("down") === "true", Number(query.get("from") || 0)];
  const [text, setText] = useState(query.get("q") || "");
  const asked = new URLSearchParams({ limit: PAGE, offset, sort: by, down, q: query.get("q") || "" });
  const live = useLive(`${path(project)}/boards?${asked}`);
  useNews(live, (now, old) => {
    const known = new Map(old.boards.map((b) => [b.board, b.rank]));
    return now.boards.filter((b) => known.has(b.board) && known.get(b.board) !== b.rank).map((b) => `${b.board}: ${rank(b)}`).join(". ");
  });
  const onSort = (column) => set({ sort: column, down: String(by === column && !down), from: null });
  const search = (event) => { event.preventDefault(); set({ q: text || null, from: null }); };
  const extra = [
    h("form", { key: "search", onSubmit: search, role: "search" },
      h(Input, { size: "sm", w: "14rem", "aria-label": "Find a board", placeholder: "Find a board", value: text, onChange: (e) => setText(e.target.value) })),
    may.leaderboard_scrape && h(Action, { key: "scrape", label: "Scrape now", ask: "Read every board again?", needsReason: false, run: () => startDag(dagOf(project, "leaderboard_scrape"), {}) }),
  ];
  return h(Part, { title: "Position", live, extra, isEmpty: (d) => d.found === 0, empty: query.get("q") ? "No board has that name." : "No board has been read yet. The first scrape fills this page." },
    (data) => h(Box, null,
      h(Grid, { label: "Our position on each board", columns: BOARD_COLUMNS, rows: data.boards, rowKey: (b) => b.board, sort: { by, down }, onSort }),
      h(Pager, { offset, size: PAGE, total: data.found, onMove: (from) => set({ from: from || null }) })));
}

// A line over time as SVG; `invert` puts small values (rank 1) at the top.
function Line({ title, points, marks, invert, format }) {
  const [w, ht, pad] = [640, 180, 60];
  const known = points.filter((p) => p.value !== null);
  if (known.length === 0) return h(Text, { color: "fg.muted" }, `${title}: not listed yet.`);
  const times = [...known, ...marks].map((p) => p.at);
  const values = known.map((p) => p.value);
  const [t0, t1] = [Math.min(...times), Math.max(...times)];
  const [v0, v1] = [Math.min(...values), Math.max(...values)];
  const x = (t) => pad + ((t - t0) / (t1 - t0 || 1)) * (w - pad - 12);
  const y = (v) => {
    const share = (v - v0) / (v1 - v0 || 1);
    return 14 + (invert ? share : 1 - share) * (ht - 44);
  };
  const said = `${title}: from ${format(values[0])} to ${format(values.at(-1))}, ${known.length} readings, ${marks.length} promotions`;
  const day = (t) => new Date(t).toISOString().slice(0, 10);
  return h("svg", { role: "img", "aria-label": said, viewBox: `0 0 ${w} ${ht}`, style: { width: "100%", maxWidth: "44rem" } },
    h("text", { x: 4, y: y(v1) + 4, fontSize: 11, fill: "currentColor" }, format(v1)),
    v0 !== v1 && h("text", { x: 4, y: y(v0) + 4, fontSize: 11, fill: "currentColor" }, format(v0)),
    h("text", { x: pad, y: ht - 6, fontSize: 11, fill: "currentColor" }, day(t0)),
    h("text", { x: w - 12, y: ht - 6, fontSize: 11, textAnchor: "end", fill: "currentColor" }, day(t1)),
    marks.map((m, i) => h("line", { key: `m${i}`, x1: x(m.at), x2: x(m.at), y1: 8, y2: ht - 24, stroke: "var(--chakra-colors-green-500)", strokeDasharray: "4 3" },
      h("title", null, `${m.name || "start"} promoted`))),
    h("polyline", { points: known.map((p) => `${x(p.at)},${y(p.value)}`).join(" "), fill: "none", stroke: "var(--chakra-colors-blue-500)", strokeWidth: 2 }),
    known.map((p, i) => h("circle", { key: i, cx: x(p.at), cy: y(p.value), r: 3, fill: "var(--chakra-colors-blue-500)" }, h("title", null, `${day(p.at)}: ${format(p.value)}`))));
}

export function Board({ project }) {
  const [query] = useAddress();
  const board = query.get("board") || "";
  const live = useLive(`${path(project)}/history?${new URLSearchParams({ board })}`);
  return h(Part, { title: `${board}: rank and score over time`, live, isEmpty: (d) => d.points.length === 0, empty: "This board has not been read yet." },
    (data) => {
      const at = (value) => new Date(value).getTime();
      const marks = data.promotions.filter((p) => p.hypothesis_id).map((p) => ({ at: at(p.at), name: p.hypothesis_id }));
      const of = (name) => data.points.map((p) => ({ at: at(p.at), value: p[name] }));
      return h(Box, null,
        h(Line, { title: "Our rank", points: of("our_rank"), marks, invert: true, format: (v) => `#${v}` }),
        h(Line, { title: "Our score", points: of("our_score"), marks, format: (v) => number(v) }),
        h(Text, { fontSize: "sm", color: "fg.muted" }, "Dashed lines mark our promotions."),
        h(Matrix, { project, board }));
    });
}

export function Matrix({ project, board }) {
  const [query, set] = useAddress();
  const first = board || query.get("by");
  const from = Number(query.get("row") || 0);
  const [order, setOrder] = useState(null);
  const asked = new URLSearchParams({ limit: 25, offset: from, ...(first && { board: first }) });
  const live = useLive(`${path(project)}/matrix?${asked}`);
  return h(Part, { title: "Gap matrix", live, level: board ? "h3" : "h2", isEmpty: (d) => d.rows.length === 0, empty: "Nothing to compare yet." },
    (data) => {
      const columns = [
        { name: "Rank", sort: "rank", cell: (r) => (r.rank === null ? "–" : `#${r.rank}`) },
        { name: "System", sort: "system", cell: (r) => r.system + (r.ours ? " (ours)" : "") },
        ...data.boards.map((name) => ({ name, sort: `score/${name}`, align: "end", cell: (r) => number(r.scores[name]) })),
        { name: "Δ to our score", sort: "delta", align: "end", cell: (r) => (r.ours ? "—" : signed(r.delta)) },
      ];
      const value = (r) => (order.by.startsWith("score/") ? r.scores[order.by.slice(6)] : r[order.by]);
      const rows = order ? [...data.rows].sort((a, b) => {
        const [u, v] = [value(a), value(b)];
        if (u === null || u === undefined) return 1;
        if (v === null || v === undefined) return -1;
        return (u > v ? 1 : u < v ? -1 : 0) * (order.down ? -1 : 1);
      }) : data.rows;
      const onSort = (by) => setOrder({ by, down: order?.by === by && !order.down });
      return h(Box, null,
        h(Grid, { label: "Every system on every board", columns, rows, sort: order || { by: "rank" }, onSort }),
        h(Pager, { offset: from, size: 25, total: data.total, onMove: (row) => set({ row: row || null }) }));
    });
}

// The panel on Airflow's home page.
export function RankPanel({ project }) {
  const live = useLive(`${path(project)}/boards?limit=8`, 30000);
  return h(Part, { title: "Our rank", live, level: "h3", isEmpty: (d) => d.found === 0, empty: "No board has been read yet." },
    (data) => h(Grid, {
      label: "Our rank on each board", rows: data.boards, rowKey: (b) => b.board,
      columns: [
        { name: "Board", cell: (b) => h("a", { href: String(new URL(`plugin/benchmark?${new URLSearchParams({ view: "board", board: b.board, project })}`, document.baseURI)) }, b.board) },
        { name: "Rank", cell: rank }, { name: "Trend", cell: trend },
        { name: "Gap", align: "end", cell: (b) => signed(b.gap) }, { name: "State", cell: standing },
      ],
    }));
}
