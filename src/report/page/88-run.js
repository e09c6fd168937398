// The text of the model, and the settings of the run.
const roles = {
  prior: "prior",
  local: "prior of groups, integrated out group by group",
  likelihood: "likelihood by rows, which minibatches can estimate",
  full: "evaluated on all data at every step",
};

function addModel() {
  const pieces = data.run.model;
  if (!pieces) return;
  const used = [...new Set(pieces.map((piece) => piece[1]).filter((role) => role))];
  addSection("model", "Model",
    make("p", { class: "legend" }, used.map((role) => make("span", {}, make("span", { class: "role role-" + role }, role), " " + (roles[role] || "")))),
    make("pre", { class: "model", tabindex: 0, role: "group", "aria-label": "text of the model" }, pieces.map(([text, role]) => (role ? make("span", { class: "role role-" + role, title: roles[role] || role }, text) : text))),
    data.no_priors ? make("p", { class: "caption" }, "Priors are not shown in the densities: " + data.no_priors) : null);
}

function paintTimes(times, width) {
  const total = times.reduce((sum, [, seconds]) => sum + seconds, 0) || 1, svg = draw("svg", { viewBox: "0 0 " + width + " 44", width, height: 44, class: "chart" });
  let at = 0;
  times.forEach(([phase, seconds], k) => {
    const wide = ((width - 2) * seconds) / total;
    svg.append(draw("rect", { x: at, y: 4, width: Math.max(0.5, wide - 1), height: 20, fill: seriesColour(k), "fill-opacity": 0.8 }, draw("title", {}, phase + ": " + timeText(seconds))));
    if (wide > 70) svg.append(draw("text", { x: at + 2, y: 38 }, phase + " " + timeText(seconds)));
    at += wide;
  });
  return svg;
}

/** A command to copy. */
function command(text) {
  const copy = make("button", { type: "button", class: "copy" }, "copy");
  copy.addEventListener("click", () => {
    const done = () => { copy.textContent = "copied"; };
    if (navigator.clipboard && navigator.clipboard.writeText) navigator.clipboard.writeText(text).then(done, () => {});
  });
  return make("div", { class: "command" }, make("code", {}, text), copy);
}

function addRun() {
  const run = data.run, section = addSection("run", "The run");
  section.append(table(["", ""], run.facts, "facts"));
  if (run.times && run.times.length > 1) {
    const total = run.times.reduce((sum, [, seconds]) => sum + seconds, 0);
    section.append(make("h3", {}, "Times"), figure("", "Altogether " + timeText(total) + ": " + run.times.map(([phase, seconds]) => phase + " " + timeText(seconds)).join(", ") + ". Reading the data is not counted.", (width) => paintTimes(run.times, width)));
  }
  if (run.left_out && run.left_out.length > 0)
    section.append(make("h3", {}, "Left out"), make("p", {}, "These variables are non-finite at some draws, and are omitted from all files: " + listed(run.left_out.map((one) => String(one.name)), 20) + "."));
  if (run.again) {
    section.append(make("h3", {}, "Repeat it"), make("p", {}, "The same draws again" + (run.folder ? ", in the folder " : ""), run.folder ? make("code", {}, run.folder) : null, ":"), command(run.again));
    if (run.command) section.append(make("p", {}, "With every option that is not at its default:"), command(run.command));
  }
  if (run.options && run.options.length > 0) {
    const rows = (list) => table(["option", "value", "what it is"], list.map(([name, value, , help]) => [name, value.length > 200 ? value.slice(0, 200) + "\u2026" : value, help.replace(/`([^`]*)`/g, "--$1")]), "options");
    const given = run.options.filter((option) => option[2]), usual = run.options.filter((option) => !option[2]);
    section.append(make("h3", {}, "Options"), folded("Given, or chosen by the run (" + given.length + ")", rows(given)), folded("At their defaults (" + usual.length + ")", rows(usual)));
  }
}
