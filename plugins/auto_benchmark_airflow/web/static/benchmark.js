// The page "Benchmark", the panel on the home page and the tab on the sweeps' pages.
import { Announcements, Box, Heading, Text, h, useAddress, useLive } from "./parts.js";
import { Board, Boards, Matrix, RankPanel } from "./position.js";
import { Construction, Constructions } from "./constructions.js";
import { LabRun, LabRuns } from "./laboratory.js";
import { Decisions, Hypothesis, Queue, Running } from "./work.js";
import { Briefs, Digest, Digests, Escalations, Log, Papers, Summary } from "./records.js";

const VIEWS = {
  position: { name: "Position", parts: [Summary, Boards, Escalations] },
  matrix: { name: "Gap matrix", parts: [Matrix] },
  work: { name: "Experiments", parts: [Running, Queue] },
  decisions: { name: "Decisions", parts: [Decisions] },
  papers: { name: "Papers", parts: [Papers, Briefs] },
  digests: { name: "Digests", parts: [Digests] },
  lab: { name: "Laboratory", parts: [LabRuns] },
  constructions: { name: "Constructions", parts: [Constructions] },
  log: { name: "Log", parts: [Log] },
  digest: { parts: [Digest] },
  board: { parts: [Board] },
  hypothesis: { parts: [Hypothesis] },
  labrun: { parts: [LabRun] },
  construction: { parts: [Construction] },
};
const SHARED = ["project"];
// Another project has other boards, hypotheses and weeks: a view of one of them is left for the list it belongs to.
const FORGOTTEN = { view: null, board: null, id: null, week: null, folder: null, construction: null, q: null, from: null, row: null, by: null };

function link(query, view) {
  const kept = new URLSearchParams(SHARED.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])));
  kept.set("view", view);
  return kept;
}

function Views({ query, view }) {
  const [, setQuery] = globalThis.ReactRouterDOM.useSearchParams();
  const go = (event, to) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    setQuery(to);
  };
  return h(Box, { as: "nav", "aria-label": "Benchmark views", display: "flex", flexWrap: "wrap", gap: 1, mb: 4, borderBottomWidth: "1px" },
    Object.entries(VIEWS).filter(([, v]) => v.name).map(([key, v]) => {
      const to = link(query, key);
      return h(Box, {
        as: "a", key, href: `?${to}`, onClick: (event) => go(event, to), "aria-current": key === view ? "page" : undefined,
        px: 3, py: 2, borderBottomWidth: "2px", borderColor: key === view ? "blue.500" : "transparent", fontWeight: key === view ? "semibold" : undefined,
      }, v.name);
    }));
}

function Choice({ projects, project, onChange }) {
  if (projects.length < 2) return null;
  return h("label", null, h("span", null, "Project "),
    h(Box, { as: "select", value: project, onChange: (event) => onChange(event.target.value), borderWidth: "1px", borderRadius: "md", p: 1, bg: "bg" },
      projects.map((p) => h("option", { key: p.name, value: p.name }, p.name))));
}

// Finds the project that is meant and what may be done in it; says so where there is none.
function WithProject({ wanted, onChange, title, children }) {
  const { data, error } = useLive("projects", 30000);
  if (data === undefined) return error ? h(Text, { role: "alert" }, `The projects cannot be read: ${error}`) : h(Text, { role: "status" }, "Loading");
  if (data.length === 0) return h(Text, null, "There is no project yet, or none that you may see. A project is a folder with a competitive_registry.yaml.");
  const found = data.find((p) => p.name === wanted) || (wanted ? null : data.find((p) => p.name === "default") || data[0]);
  if (!found) return h(Text, { role: "alert" }, `No project ${wanted} is configured, or you may not see it.`);
  return h(Box, null,
    title && h(Box, { display: "flex", flexWrap: "wrap", gap: 4, alignItems: "center", justifyContent: "space-between", mb: 2 },
      h(Heading, { as: "h1", size: "xl" }, title), h(Choice, { projects: data, project: found.name, onChange })),
    children(found));
}

function Page() {
  const [query, set] = useAddress();
  const view = VIEWS[query.get("view")] ? query.get("view") : "position";
  return h(Box, { p: { base: 3, md: 5 }, overflow: "auto", height: "100%" }, h(Announcements),
    h(WithProject, { wanted: query.get("project"), title: "Benchmark", onChange: (project) => set({ project, ...FORGOTTEN }) },
      (project) => h(Box, null, h(Views, { query, view }),
        VIEWS[view].parts.map((part) => h(part, { key: `${project.name}/${part.name}`, project: project.name, may: project.may })))));
}

function Panel() {
  return h(WithProject, { wanted: null }, (project) => h(RankPanel, { project: project.name }));
}

const SWEEPS = /^(?:(.+)__)?(?:experiment_sweep|experiment_sweep_urgent|production_defense|benchmark_sweep)$/;

function Tab({ dagId }) {
  const [query] = useAddress();
  const parts = query.get("view") === "hypothesis" ? [Hypothesis] : [Running, Queue, Decisions];
  const found = SWEEPS.exec(dagId || "");
  if (!found) return h(Text, { p: 4 }, "This DAG runs no experiments of Auto Benchmark.");
  return h(Box, { p: 4 }, h(WithProject, { wanted: found[1] || "default" },
    (project) => parts.map((part) => h(part, { key: part.name, project: project.name, may: project.may }))));
}

globalThis["Benchmark"] = Page;
globalThis["Benchmark rank"] = Panel;
globalThis["Benchmark sweep"] = Tab;
