// What tuning tried, what it expected, and what became of the steps.
function paintTuning(candidates, width) {
  const usable = candidates.filter((c) => isNumber(c.error) && c.error > 0 && c.step_size > 0);
  const range = (values) => { const lo = Math.min(...values), hi = Math.max(...values); return lo < hi ? [lo / 1.3, hi * 1.3] : [lo / 2, hi * 2]; };
  const [lo, hi] = range(usable.map((c) => c.step_size)), [low, high] = range(usable.map((c) => c.error));
  const methods = [...new Set(usable.map((c) => c.method))];
  const chart = axes(width, 260, { lo, hi, log: true, label: "step size" }, { lo: low, hi: high, log: true, label: "expected error, in sds", format: (x) => digits(x, 2) }, { left: 58 });
  for (const c of usable) {
    const x = chart.x(c.step_size), y = chart.y(c.error), colour = seriesColour(methods.indexOf(c.method));
    const words = c.method + ", step " + digits(c.step_size) + ", batch " + grouped(c.batch_size) + ": error " + digits(c.error);
    const shape = methods.indexOf(c.method) % 3;
    chart.svg.append(draw("path", { d: shape === 0 ? "M" + (x - 5) + " " + y + "a5 5 0 1 0 10 0a5 5 0 1 0 -10 0" : shape === 1 ? "M" + (x - 5) + " " + (y - 5) + "h10v10h-10z" : "M" + x + " " + (y - 6) + "l6 11h-12z", fill: colour, "fill-opacity": 0.8 }, draw("title", {}, words)));
    if (c.chosen) {
      chart.svg.append(draw("circle", { cx: x, cy: y, r: 10, class: "ring" }));
      const end = x > chart.right - 70;
      chart.svg.append(draw("text", { x: x + (end ? -14 : 14), y: y + 4, "text-anchor": end ? "end" : "start", class: "name" }, "chosen"));
    }
  }
  return chart.svg;
}

function addTuning() {
  const run = data.run, tuning = run.tuning;
  if (!tuning && !run.reductions && !run.repeated) return;
  const section = addSection("tuning", "Tuning");
  if (tuning) {
    section.append(make("p", {}, tuning.why || ""));
    const tried = tuning.candidates || [], usable = tried.filter((c) => isNumber(c.error) && c.error > 0 && c.step_size > 0);
    const chosen = tried.find((c) => c.chosen);
    let found = "";
    if (chosen && isNumber(chosen.error) && bias && bias.names.length > 0) {
      const worst = worstCoordinates()[0];
      found = " Tuning expected an error of " + digits(chosen.error, 2) + " sds (root mean square over coordinates); the verdict found " + bias.names[worst] + " furthest off, with an sd ratio of " + digits(bias.sd_ratio[worst], 3) + " and a mean shift of " + digits(bias.shift[worst], 2) + " sds.";
    }
    if (usable.length > 1)
      section.append(make("div", { class: "pictures" }, figure("What was tried", counted(tried.length, "candidate") + ", " + grouped(tried.filter((c) => c.diverged).length) + " of which diverged. Small steps have a large Monte Carlo error, large steps are biased." + found, (width) => paintTuning(tried, width))),
                     legend([...new Set(usable.map((c) => c.method))].map((m, k) => [m, seriesColour(k)])));
    else if (found) section.append(make("p", {}, found));
    if (tried.length > 0)
      section.append(folded("Candidates as a table", table(["method", "step size", "batch", "iterations", "rounds", "sd error", "mean error", "Monte Carlo", "expected error", ""], tried.map((c) => [c.method, digits(c.step_size), grouped(c.batch_size), grouped(c.iterations), grouped(c.rounds),
        digits(c.sd_error, 2), digits(c.mean_error, 2), digits(c.monte_carlo, 2), digits(c.error, 2), c.diverged ? "diverged" : c.chosen ? "chosen" : ""]), "numbers")));
    if (tuning.mode) section.append(make("p", { class: "caption" }, "Search for the mode: " + tuning.mode));
  }
  if (run.repeated)
    section.append(make("p", {}, "The run was made twice: with the step size that tuning had chosen, the verdict was \u201c" + run.repeated.trust + "\u201d, so it was repeated with half that step."));
  if (run.reductions && run.reductions.length > 0)
    section.append(make("p", {}, "Steps were made smaller " + counted(run.reductions.length, "time") + ", because a chain diverged."),
                   table(["chain", "diverged at iteration", "went back to", "step multiplied by"], run.reductions.slice(0, 50).map((r) => [String(r[0]), grouped(r[1]), grouped(r[2]), digits(r[3])]), "numbers"));
}
