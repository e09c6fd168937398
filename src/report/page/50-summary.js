// The summary: a table to sort and search.
const parameters = data.parameters || null, compared = data.comparison || null;
// Variables with their own plots, the most doubtful first.
const catalogue = parameters || compared;
const nameIndex = new Map(catalogue ? catalogue.names.map((name, k) => [name, k]) : []);

function trustOf(k) {
  const found = biasIndex.get(parameters.names[k]);
  return found === undefined ? "" : bias.trust[found];
}

/** Why a parameter is doubtful; empty if it is not. */
function doubts(k) {
  const found = [], s = parameters.summary, trust = trustOf(k);
  if (trust && trust !== "trust") found.push("gradients: " + trust);
  if (s.rhat[k] > 1.01) found.push("R-hat " + digits(s.rhat[k], 4));
  if (isNumber(s.ess_bulk[k]) && s.ess_bulk[k] < 400) found.push("effective sample size " + grouped(s.ess_bulk[k]));
  return found;
}

/** A link that opens the plots of a parameter; plain text if there is no such parameter. */
function parameterLink(name, classes) {
  if (!nameIndex.has(name)) return make("span", { class: classes }, name);
  return make("button", { type: "button", class: classes, onclick: () => showParameter(nameIndex.get(name), true) }, name);
}

const summaryColumns = !parameters ? [] : [
  { key: "name", title: "name", value: (k) => k },
  ...(bias ? [{ key: "trust", title: "by gradients", value: (k) => (trustOf(k) ? 3 - gravity[trustOf(k)] : 9), cell: (k) => (trustOf(k) ? badge(trustOf(k)) : "") }] : []),
  ...[["mean", "mean"], ["mcse", "mcse"], ["sd", "sd"], ["q5", "5\u00a0%"], ["q50", "50\u00a0%"], ["q95", "95\u00a0%"]].map(([key, title]) => (
    { key, title, value: (k) => parameters.summary[key][k], cell: (k) => fixed(parameters.summary[key][k], decimalsOf(k) + (key === "mcse" ? 1 : 0)) })),
  { key: "ess_bulk", title: "ess bulk", value: (k) => parameters.summary.ess_bulk[k], cell: (k) => doubtful(grouped(parameters.summary.ess_bulk[k]), parameters.summary.ess_bulk[k] < 400) },
  { key: "ess_tail", title: "ess tail", value: (k) => parameters.summary.ess_tail[k], cell: (k) => doubtful(grouped(parameters.summary.ess_tail[k]), isNumber(parameters.summary.ess_tail[k]) && parameters.summary.ess_tail[k] < 400) },
  { key: "rhat", title: "R-hat", down: true, value: (k) => parameters.summary.rhat[k], cell: (k) => doubtful(fixed(parameters.summary.rhat[k], 3), parameters.summary.rhat[k] > 1.01) },
  ...(bias ? [{ key: "sd_ratio", title: "sd ratio", value: (k) => ofBias("sd_ratio", k), cell: (k) => (ofBias("sd_ratio", k) === null ? "" : digits(ofBias("sd_ratio", k), 3)) },
              { key: "shift", title: "shift", value: (k) => ofBias("shift", k), cell: (k) => (ofBias("shift", k) === null ? "" : digits(ofBias("shift", k), 2)) }] : []),
];

const doubtful = (text, bad) => (bad ? make("span", { class: "doubtful", title: "in doubt" }, text) : text);
function ofBias(key, k) {
  const found = biasIndex.get(parameters.names[k]);
  return found === undefined ? null : bias[key][found];
}

/** A mean has the digits that its Monte Carlo error leaves certain. */
function decimalsOf(k) {
  const error = parameters.summary.mcse[k];
  if (isNumber(error) && error > 0) return -Math.floor(Math.log10(error));
  const size = Math.abs(parameters.summary.mean[k]) || 1;
  return 3 - Math.floor(Math.log10(size));
}

/**
 * A section with a table to sort and search, a line for each variable. columns: {key, title, value, cell}, the first is
 * the name; marked(k): whether it is in doubt; only: the words for showing such lines alone.
 */
function addListing(columns, names, marked, only, caption) {
  const all = names.map((_, k) => k), step = 50;
  let sorted = "name", down = false, shown = step;
  const search = make("input", { type: "search", id: "search", placeholder: "beta[3], sigma, \u2026", "aria-controls": "summary-table", autocomplete: "off", spellcheck: "false" });
  const few = make("input", { type: "checkbox", id: "in-doubt" });
  const count = make("span", { id: "summary-count", role: "status" });
  const body = make("tbody", {}), more = make("button", { type: "button", class: "more" });
  const heads = columns.map((column) => make("th", { scope: "col" }, make("button", {
    type: "button", class: "sort", "data-column": column.key, onclick: () => { down = sorted === column.key ? !down : Boolean(column.down); sorted = column.key; shown = step; show(); } }, column.title)));
  function chosen() {
    const words = search.value.toLowerCase().split(/\s+/).filter((word) => word);
    const column = columns.find((one) => one.key === sorted);
    const found = all.filter((k) => words.every((word) => names[k].toLowerCase().includes(word)) && (!few.checked || marked(k)));
    const key = (k) => { const value = column.value(k); return isNumber(value) ? value : null; };
    return found.sort((a, b) => {
      const x = key(a), y = key(b);
      if (x === null || y === null) return (x === null) - (y === null) || a - b;  // unknown values last, in either order
      return (down ? y - x : x - y) || a - b;
    });
  }
  function show() {
    const found = chosen();
    heads.forEach((head, k) => head.setAttribute("aria-sort", columns[k].key !== sorted ? "none" : down ? "descending" : "ascending"));
    body.replaceChildren(...found.slice(0, shown).map((k) => make("tr", { class: marked(k) ? "in-doubt" : null },
      make("th", { scope: "row" }, parameterLink(names[k], "link")), columns.slice(1).map((column) => make("td", {}, column.cell(k))))));
    count.textContent = found.length === all.length ? counted(all.length, "variable") : grouped(found.length) + " of " + counted(all.length, "variable");
    more.hidden = found.length <= shown;
    more.textContent = "Show " + grouped(Math.min(found.length - shown, 10 * step)) + " more";
  }
  search.addEventListener("input", () => { shown = step; show(); });
  few.addEventListener("change", () => { shown = step; show(); });
  more.addEventListener("click", () => { shown += 10 * step; show(); });
  show();
  addSection("summary", "Summary",
    make("p", { class: "tools" }, make("label", { for: "search" }, "Search "), search, " ", make("label", {}, few, " " + only), " ", count),
    make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "summary" },
         make("table", { id: "summary-table", class: "numbers" }, make("thead", {}, make("tr", {}, heads)), body)),
    more, make("p", { class: "caption" }, caption));
}

function addSummary() {
  if (!parameters || parameters.names.length === 0) return;
  addListing(summaryColumns, parameters.names, (k) => doubts(k).length > 0, "in doubt only",
    "mcse is the Monte Carlo error of the mean. In doubt are variables with an R-hat above 1.01, an effective sample size below 400, or doubts by gradients. A click on a name shows its pictures.");
}
