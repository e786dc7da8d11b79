// A person's idea: a change of knobs, a patch, or both, as `hypothesis add` takes it from a file.
import { Box, Button, Input, Text, apiUrl, h, path, post, useEffect, useRef, useState } from "./parts.js";

const EMPTY = { title: "", change: "", knobs: "", patch: "", effort: "Low", gain: "", urgency: "normal" };

// "reads: 6, colour: red" as {reads: 6, colour: "red"}: a value is JSON where it reads as such, else text.
function knobsOf(text) {
  const found = {};
  for (const part of text.split(/[,\n]/).map((p) => p.trim()).filter(Boolean)) {
    const at = part.search(/[:=]/);
    if (at < 1) throw new Error(`Knobs: "${part}" should be name: value`);
    const value = part.slice(at + 1).trim();
    try { found[part.slice(0, at).trim()] = JSON.parse(value); } catch { found[part.slice(0, at).trim()] = value; }
  }
  return found;
}

const ideaOf = (form) => ({
  title: form.title, urgency: form.urgency,
  implementation: { change: form.change || form.title, params: knobsOf(form.knobs), effort: form.effort, estimated_gain: Number(form.gain) },
});

function Field({ label, children }) {
  return h("label", { style: { display: "block", marginBottom: "0.5rem" } }, h(Text, { as: "span", fontSize: "sm", display: "block" }, label), children);
}

export function Propose({ project }) {
  const [open, setOpen] = useState(false);
  const [form, setForm] = useState(EMPTY);
  const [told, setTold] = useState(null);
  const [busy, setBusy] = useState(false);
  const first = useRef(null);
  useEffect(() => { if (open && first.current) first.current.focus(); }, [open]);
  const field = (name) => ({ value: form[name], onChange: (event) => setForm({ ...form, [name]: event.target.value }) });
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const made = await post(apiUrl(path(project, "hypotheses")), { idea: ideaOf(form), patch: form.patch });
      setTold({ ok: true, text: `${made.id} (${made.status}): ${made.reason}` });
      setForm(EMPTY);
      setOpen(false);
    } catch (error) {
      setTold({ ok: false, text: error.message });
    }
    setBusy(false);
  };
  const close = (event) => { if (event.key === "Escape") setOpen(false); };
  const choice = (name, values) => h(Box, { as: "select", ...field(name), borderWidth: "1px", borderRadius: "md", p: 1, bg: "bg" },
    values.map((value) => h("option", { key: value, value }, value)));
  return h(Box, { display: "inline-block" },
    !open && h(Button, { size: "xs", variant: "outline", onClick: () => { setTold(null); setOpen(true); } }, "Propose a change"),
    open && h(Box, { as: "form", onSubmit: submit, onKeyDown: close, "aria-label": "Propose a change", maxW: "36rem", minW: 0 },
      h(Field, { label: "Title" }, h(Input, { ref: first, size: "sm", required: true, maxLength: 200, ...field("title") })),
      h(Field, { label: "Change, in words" }, h(Input, { size: "sm", maxLength: 4000, ...field("change") })),
      h(Field, { label: "Knobs, such as reads: 6, colour: red" }, h(Input, { size: "sm", maxLength: 4000, ...field("knobs") })),
      h(Field, { label: "Patch of production's code, as git diff writes it" },
        h(Box, { as: "textarea", rows: 6, maxLength: 60000, spellCheck: false, width: "100%", borderWidth: "1px", borderRadius: "md", p: 1, fontFamily: "mono", fontSize: "sm", bg: "bg", ...field("patch") })),
      h(Field, { label: "Estimated gain, in the metric's unit" }, h(Input, { size: "sm", type: "number", min: 0, step: "any", required: true, ...field("gain") })),
      h(Field, { label: "Effort" }, choice("effort", ["Low", "Medium", "High"])),
      h(Field, { label: "Urgency" }, choice("urgency", ["urgent", "normal", "low"])),
      h(Box, { display: "flex", gap: 2 },
        h(Button, { type: "submit", size: "xs", disabled: busy }, "Propose"),
        h(Button, { type: "button", size: "xs", variant: "ghost", onClick: () => setOpen(false) }, "Cancel"))),
    told && h(Text, { role: told.ok ? "status" : "alert", fontSize: "sm", whiteSpace: "pre-wrap", overflowWrap: "anywhere" }, told.text));
}
