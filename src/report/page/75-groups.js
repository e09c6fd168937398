// Elements of a variable side by side: group effects, coefficients.
function families() {
  const found = new Map();
  parameters.names.forEach((name, k) => {
    const at = name.indexOf("[");
    if (at <= 0 || !isNumber(parameters.summary.q50[k])) return;
    const variable = name.slice(0, at);
    if (!found.has(variable)) found.set(variable, []);
    found.get(variable).push(k);
  });
  return [...found].filter(([, members]) => members.length >= 5);
}

const mostIntervals = 300;

function paintCaterpillar(members, width) {
  const s = parameters.summary, labelled = members.length <= 40;
  const row = labelled ? 16 : Math.max(1.6, Math.min(8, 560 / members.length)), height = row * members.length + 44;
  const longest = Math.max(...members.map((k) => parameters.names[k].length));
  const left = labelled ? Math.min(7 * longest + 12, width * 0.35) : 14;
  let lo = Infinity, hi = -Infinity;
  for (const k of members) { lo = Math.min(lo, s.q5[k]); hi = Math.max(hi, s.q95[k]); }
  if (!(hi > lo)) hi = lo + 1;
  const pad = 0.03 * (hi - lo);
  const chart = axes(width, height, { lo: lo - pad, hi: hi + pad, label: "5 %, median, 95 %" }, { lo: 0, hi: members.length, ticks: null }, { left, top: 4 });
  if (lo < 0 && hi > 0) chart.svg.append(post(chart, chart.x(0), "middle"));
  members.forEach((k, line) => {
    const y = 4 + row * (line + 0.5), clear = s.q5[k] > 0 || s.q95[k] < 0;
    chart.svg.append(draw("line", { x1: place(chart.x(s.q5[k])), x2: place(chart.x(s.q95[k])), y1: y, y2: y, class: "interval" + (clear ? " clear" : ""), "stroke-width": Math.min(2, Math.max(0.8, row / 3)) }));
    chart.svg.append(draw("circle", { cx: place(chart.x(s.q50[k])), cy: y, r: Math.min(3.2, Math.max(1, row / 2.4)), class: "median" }, draw("title", {}, parameters.names[k] + ": " + digits(s.q50[k]))));
    if (labelled) {
      const name = parameters.names[k], most = Math.max(4, Math.floor((left - 10) / 6.6));
      chart.svg.append(draw("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, draw("title", {}, name), name.length > most ? name.slice(0, most - 1) + "\u2026" : name));
    }
  });
  return chart.svg;
}

function addGroups() {
  if (!parameters) return;
  const found = families();
  if (found.length === 0) return;
  const s = parameters.summary, box = make("div", {});
  const choice = make("select", { id: "variable" }, found.map(([variable, members]) => make("option", { value: variable }, variable + " (" + grouped(members.length) + ")")));
  const ordered = make("input", { type: "checkbox", id: "by-median", checked: true });
  function show() {
    const [variable, members] = found[Math.max(0, choice.selectedIndex)];
    let shown = members.slice();
    if (ordered.checked) shown.sort((a, b) => s.q50[b] - s.q50[a]);
    const sorted = members.slice().sort((a, b) => s.q50[b] - s.q50[a]);
    if (shown.length > mostIntervals) shown = Array.from({ length: mostIntervals }, (_, k) => shown[Math.floor((k * (shown.length - 1)) / (mostIntervals - 1))]);
    const clear = members.filter((k) => s.q5[k] > 0 || s.q95[k] < 0).length;
    box.replaceChildren(figure(variable, "90\u00a0% intervals and medians of " + (shown.length < members.length ? grouped(shown.length) + " of " : "") + counted(members.length, "element") +
      ". Largest median: " + parameters.names[sorted[0]] + ", " + digits(s.q50[sorted[0]]) + "; smallest: " + parameters.names[sorted[sorted.length - 1]] + ", " + digits(s.q50[sorted[sorted.length - 1]]) +
      (clear > 0 ? ". The interval leaves 0 out for " + grouped(clear) + " (darker)." : ". Every interval holds 0."), (width) => paintCaterpillar(shown, width)));
    paintAll();
  }
  choice.addEventListener("change", show);
  ordered.addEventListener("change", show);
  addSection("elements", "Vectors and groups", make("p", { class: "tools" }, make("label", { for: "variable" }, "Variable "), choice, " ", make("label", {}, ordered, " sorted by median")), box);
  show();
}
