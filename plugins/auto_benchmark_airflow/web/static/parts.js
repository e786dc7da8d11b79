// What every view uses: Airflow's own React and Chakra, asking the API, and the states that a part of a page can be in.
const { createElement: h, useCallback, useEffect, useRef, useState } = globalThis.React;
const { Badge, Box, Button, Heading, Input, Spinner, Table, Text } = globalThis.ChakraUI;

export { Badge, Box, Button, Heading, Input, Text, h, useCallback, useEffect, useRef, useState };

const EVERY_MS = 5000;

export const apiUrl = (path) => new URL(`auto-benchmark/api/${path}`, document.baseURI);
export const path = (...parts) => parts.map(encodeURIComponent).join("/");

async function answerOf(response) {
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  const detail = typeof body.detail === "string" ? body.detail : response.statusText;
  if (response.status === 401) throw new Error("You are not signed in any more. Reload the page to sign in.");
  throw new Error(`${detail || "The server did not answer"} (${response.status})`);
}

// Asks now and then every few seconds while the page is seen; what was known stays while an answer is missing.
export function useLive(url, every = EVERY_MS) {
  const [state, setState] = useState({ data: undefined, error: null, of: null });
  const key = url && String(url);
  useEffect(() => {
    setState({ data: undefined, error: null, of: key });
    if (!key) return undefined;
    let timer;
    const stop = new AbortController();
    const ask = async () => {
      if (!document.hidden) {
        try {
          const data = await answerOf(await fetch(apiUrl(key), { signal: stop.signal }));
          setState({ data, error: null, of: key });
        } catch (error) {
          if (stop.signal.aborted) return;
          setState((old) => ({ ...old, error: error.message }));
        }
      }
      timer = setTimeout(ask, every);
    };
    ask();
    return () => { stop.abort(); clearTimeout(timer); };
  }, [key, every]);
  return state;
}

export async function post(url, body) {
  const headers = { "Content-Type": "application/json" };
  return answerOf(await fetch(url, { method: "POST", headers, body: JSON.stringify(body) }));
}

// Starts a DAG through Airflow's own API, with the user's own rights.
export const startDag = (dagId, conf) =>
  post(new URL(`api/v2/dags/${encodeURIComponent(dagId)}/dagRuns`, document.baseURI), { logical_date: null, conf });

export const dagOf = (project, name) => (project === "default" ? name : `${project}__${name}`);

export const number = (value, digits = 3) => (value === null || value === undefined ? "—" : value.toFixed(digits));
export const signed = (value, digits = 3) =>
  value === null || value === undefined ? "—" : `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(digits)}`;

export function ago(moment, now = Date.now()) {
  if (!moment) return "never";
  const s = Math.max(0, (now - new Date(moment).getTime()) / 1000);
  if (s < 90) return `${Math.round(s)} s ago`;
  if (s < 5400) return `${Math.round(s / 60)} min ago`;
  return s < 129600 ? `${Math.round(s / 3600)} h ago` : `${Math.round(s / 86400)} days ago`;
}

export const seconds = (s) => (s < 90 ? `${Math.round(s)} s` : `${Math.round(s / 60)} min`);

// What changed while the page was open is said once to screen readers; the region is empty until then.
const listeners = new Set();
export const announce = (text) => listeners.forEach((listener) => listener(text));

export function Announcements() {
  const [text, setText] = useState("");
  useEffect(() => { listeners.add(setText); return () => listeners.delete(setText); }, []);
  return h("div", { role: "status", "aria-live": "polite", "aria-label": "Changes", style: HIDDEN }, text);
}
const HIDDEN = { position: "absolute", width: 1, height: 1, overflow: "hidden", clipPath: "inset(50%)", whiteSpace: "nowrap" };

// Calls `tell(new, old)` when newer data have come from the same address; what it returns is announced.
export function useNews(live, tell) {
  const before = useRef(live);
  useEffect(() => {
    const old = before.current;
    before.current = live;
    if (old.of !== live.of || old.data === undefined || live.data === undefined || old.data === live.data) return;
    const text = tell(live.data, old.data);
    if (text) announce(text);
  }, [live]);
}

// A part of the page: its heading, then its error, a spinner, an empty state, or its content.
export function Part({ title, live, empty, isEmpty, children, level = "h2", extra }) {
  const { data, error } = live;
  const body = data === undefined
    ? !error && h(Box, { role: "status", py: 4 }, h(Spinner, { size: "sm", mr: 2 }), "Loading")
    : isEmpty && isEmpty(data) ? h(Text, { color: "fg.muted", py: 4 }, empty) : children(data);
  return h(Box, { as: "section", "aria-label": title, mb: 8 },
    h(Box, { display: "flex", flexWrap: "wrap", gap: 3, alignItems: "center", mb: 2 },
      h(Heading, { as: level, size: "md" }, title), extra),
    error && h(Box, { role: "alert", borderWidth: "1px", borderColor: "border.error", borderRadius: "md", p: 3, mb: 3 },
      h(Text, null, `This part could not be updated: ${error}`)),
    body);
}

// A table that scrolls by itself on a narrow screen. Columns: {name, cell, sort?, align?}.
export function Grid({ label, columns, rows, rowKey, sort, onSort }) {
  const head = columns.map((c) => {
    const active = sort && c.sort === sort.by;
    const content = c.sort
      ? h(Button, { variant: "plain", size: "xs", p: 0, height: "auto", fontWeight: "semibold", onClick: () => onSort(c.sort) },
        c.name, h("span", { "aria-hidden": true }, active ? (sort.down ? " ▼" : " ▲") : " ↕"))
      : c.name;
    const direction = active ? (sort.down ? "descending" : "ascending") : c.sort ? "none" : undefined;
    return h(Table.ColumnHeader, { key: c.name, scope: "col", textAlign: c.align, "aria-sort": direction }, content);
  });
  return h(Box, { overflowX: "auto", tabIndex: 0, role: "region", "aria-label": `${label}, table` },
    h(Table.Root, { size: "sm", "aria-label": label },
      h(Table.Header, null, h(Table.Row, null, head)),
      h(Table.Body, null, rows.map((row, i) =>
        h(Table.Row, { key: rowKey ? rowKey(row) : i, "data-ours": row.ours || undefined, fontWeight: row.ours ? "bold" : undefined },
          columns.map((c, n) => h(Table.Cell, {
            key: c.name, textAlign: c.align, maxW: "28rem", overflowWrap: "anywhere", ...(n === 0 && { as: "th", scope: "row", fontWeight: "inherit" }),
          }, c.cell(row))))))));
}

// A button that asks why before it does something, and says what came of it.
export function Action({ label, ask, run, needsReason = true }) {
  const [open, setOpen] = useState(false);
  const [reason, setReason] = useState("");
  const [told, setTold] = useState(null);
  const [busy, setBusy] = useState(false);
  const field = useRef(null);
  useEffect(() => { if (open && field.current) field.current.focus(); }, [open]);
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await run(reason);
      setTold({ ok: true, text: "Done" });
      setOpen(false);
    } catch (error) {
      setTold({ ok: false, text: error.message });
    }
    setBusy(false);
  };
  const close = (event) => { if (event.key === "Escape") setOpen(false); };
  return h(Box, { display: "inline-block" },
    !open && h(Button, { size: "xs", variant: "outline", onClick: () => { setTold(null); setOpen(true); } }, label),
    open && h("form", { onSubmit: submit, onKeyDown: close, "aria-label": label },
      h("label", null, h(Text, { fontSize: "sm" }, ask),
        needsReason && h(Input, {
          ref: field, size: "sm", value: reason, required: true, minLength: 3, maxLength: 500,
          onChange: (event) => setReason(event.target.value),
        })),
      h(Box, { mt: 1, display: "flex", gap: 2 },
        h(Button, { type: "submit", size: "xs", disabled: busy }, label),
        h(Button, { type: "button", size: "xs", variant: "ghost", onClick: () => setOpen(false) }, "Cancel"))),
    told && h(Text, { role: told.ok ? "status" : "alert", fontSize: "sm" }, told.text));
}

// Keeps what links can share: the query of the page's address.
export function useAddress() {
  const [query, setQuery] = globalThis.ReactRouterDOM.useSearchParams();
  const set = useCallback((changed) => setQuery((old) => {
    const next = new URLSearchParams(old);
    Object.entries(changed).forEach(([name, value]) => (value === null ? next.delete(name) : next.set(name, value)));
    return next;
  }), [setQuery]);
  return [query, set];
}

// A patch line by line; what it says is text, whatever it holds.
const SIDES = { "+": { color: "green.fg", bg: "green.subtle" }, "-": { color: "red.fg", bg: "red.subtle" }, "@": { color: "fg.muted" } };

export function Diff({ text }) {
  return h(Box, { as: "pre", role: "region", tabIndex: 0, "aria-label": "Patch of the code", overflowX: "auto", fontSize: "sm", my: 2 },
    text.split("\n").map((line, i) => h(Box, { as: "code", key: i, display: "block", ...SIDES[line[0]] }, line || " ")));
}

// Only the web's own schemes become links: addresses come from papers and settings.
export const web = (url) => (/^https?:\/\//i.test(url || "") ? url : null);

export function Away({ href, children }) {
  return h(Box, { as: "a", href, target: "_blank", rel: "noreferrer noopener", textDecoration: "underline" }, children);
}

export function Go({ to, children }) {
  const [query, set] = useAddress();
  const next = new URLSearchParams(query);
  Object.entries(to).forEach(([name, value]) => next.set(name, value));
  const go = (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    set(to);
  };
  return h(Box, { as: "a", href: `?${next}`, onClick: go, textDecoration: "underline", cursor: "pointer" }, children);
}

export function Pager({ offset, size, total, onMove }) {
  if (total <= size) return null;
  return h(Box, { as: "nav", "aria-label": "Pages", mt: 2, display: "flex", gap: 3, alignItems: "center" },
    h(Button, { size: "xs", variant: "outline", disabled: offset === 0, onClick: () => onMove(Math.max(0, offset - size)) }, "Previous"),
    h(Text, { fontSize: "sm" }, `${offset + 1}–${Math.min(offset + size, total)} of ${total}`),
    h(Button, { size: "xs", variant: "outline", disabled: offset + size >= total, onClick: () => onMove(offset + size) }, "Next"));
}
