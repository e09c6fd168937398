// Topics and clusters with their words, and the course of the run.
function paintCourse(x, lines, label, width) {
  const known = lines.flatMap((line) => line.values).filter(isNumber);
  const lo = Math.min(...known), hi = Math.max(...known), pad = (hi - lo || Math.abs(hi) || 1) * 0.05;
  const chart = axes(width, 240, { lo: x[0], hi: Math.max(x[x.length - 1], x[0] + 1), label: "iteration", format: (v) => (v >= 1e6 ? digits(v) : grouped(v)) },
                     { lo: lo - pad, hi: hi + pad, label, format: (v) => digits(v, 4) }, { left: 70 });
  lines.forEach((line, k) => chart.svg.append(curve(x.map((at, j) => (isNumber(line.values[j]) ? [chart.x(at), chart.y(line.values[j])] : null)), seriesColour(k), { "stroke-width": 2, "stroke-dasharray": k === 1 ? "6 3" : null })));
  return chart.svg;
}

function addCourse(course, kind) {
  const column = (name) => course.values[course.columns.indexOf(name)] || null;
  const x = column("iteration"), main = kind === "topic" ? "perplexity" : "log_predictive";
  const values = column(main), averaged = column("averaged");
  if (!x || !values || !values.some(isNumber)) return;
  const better = kind === "topic" ? "lower" : "higher", label = kind === "topic" ? "perplexity" : "log probability";
  const lines = [{ values }, ...(averaged && averaged.some(isNumber) ? [{ values: averaged }] : [])];
  const final = (list) => list.filter(isNumber).slice(-1)[0];
  const half = values.filter(isNumber), then = half[Math.floor(half.length / 2)], now = final(values);
  const section = addSection("course", "Course of the run", make("div", { class: "pictures" }, figure(kind === "topic" ? "Perplexity of held-out words" : "Log probability of held-out documents",
    "Solid: of the " + kind + "s of that iteration" + (lines.length > 1 ? "; broken line: of the average so far, " + digits(final(averaged), 4) + " at the end" : "") + ". " + (better === "lower" ? "Lower" : "Higher") + " is better. Over the second half it went from " + digits(then, 4) + " to " + digits(now, 4) + ".",
    (width) => paintCourse(x, lines, label, width))));
  const clusters = column("clusters");
  if (clusters) section.querySelector(".pictures").append(figure("Number of clusters", "At the end: " + grouped(final(clusters)) + ".", (width) => paintCourse(x, [{ values: clusters }], "clusters", width)));
}

function addDocuments() {
  const found = data.documents;
  if (!found) return;
  const word = found.kind, most = 50, largest = Math.max(1e-9, ...found.items.map((item) => item.share || 0));
  const search = make("input", { type: "search", id: "search", placeholder: "a word", autocomplete: "off", spellcheck: "false" });
  const count = make("span", { role: "status", id: "summary-count" }), body = make("tbody", {}), more = make("button", { type: "button", class: "more" });
  let shown = most;
  function show() {
    const words = search.value.toLowerCase().split(/\s+/).filter((w) => w);
    const items = found.items.filter((item) => words.every((w) => item.words.some(([text]) => text.toLowerCase().includes(w))));
    body.replaceChildren(...items.slice(0, shown).map((item) => make("tr", {}, make("th", { scope: "row" }, String(item.number)),
      make("td", { class: "share" }, make("span", { class: "share-bar", style: "width:" + ((100 * (item.share || 0)) / largest).toFixed(1) + "%", "aria-hidden": "true" }), make("span", {}, isNumber(item.share) ? digits(100 * item.share, 3) + "\u00a0%" : dash)),
      item.documents !== undefined ? make("td", {}, grouped(item.documents)) : null,
      make("td", { class: "words" }, item.words.map(([text, p], k) => [k > 0 ? " " : null, make("span", { title: "probability " + digits(p), class: "word", style: "opacity:" + Math.max(0.6, Math.min(1, 0.55 + p / (item.words[0][1] || 1))).toFixed(2) }, text)])))));
    count.textContent = items.length === found.items.length ? counted(items.length, word) : grouped(items.length) + " of " + counted(found.items.length, word);
    more.hidden = items.length <= shown;
    more.textContent = "Show all " + grouped(items.length);
  }
  search.addEventListener("input", show);
  more.addEventListener("click", () => { shown = Infinity; show(); });
  show();
  addSection("items", word === "topic" ? "Topics" : "Clusters", make("p", { class: "tools" }, make("label", { for: "search" }, "Search words "), search, " ", count),
    make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": word + "s" }, make("table", { id: "summary-table", class: "items" }, make("thead", {}, make("tr", {},
      make("th", { scope: "col" }, word), make("th", { scope: "col" }, word === "topic" ? "share of words" : "share of documents"), found.items.some((i) => i.documents !== undefined) ? make("th", { scope: "col" }, "documents") : null, make("th", { scope: "col" }, "most probable words"))), body)), more,
    make("p", { class: "caption" }, "The words of each " + word + " stand from the most to the least probable; " + grouped(found.vocabulary) + " words in all."));
  if (found.course) addCourse(found.course, word);
}
