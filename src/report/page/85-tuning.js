// The candidates of tuning, their expected errors, and later step size reductions.
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

/** The expected error of each candidate after each round. */
function paintRounds(candidates, width) {
  const points = candidates.flatMap((c) => c.course), xs = points.map((p) => p[0]), ys = points.map((p) => p[1]).filter((y) => y > 0);
  const chart = axes(width, 260, { lo: Math.min(...xs) / 1.15, hi: Math.max(...xs) * 1.15, log: true, label: "iterations of the candidate", format: grouped },
                     { lo: Math.min(...ys) / 1.2, hi: Math.max(...ys) * 1.2, log: true, label: "expected error, in sds", format: (x) => digits(x, 2) }, { left: 58 });
  const methods = [...new Set(candidates.map((c) => c.method))];
  for (const c of [...candidates].reverse()) {
    const line = c.course.filter((p) => p[1] > 0).map((p) => [chart.x(p[0]), chart.y(p[1])]), colour = seriesColour(methods.indexOf(c.method));
    if (line.length === 0) continue;
    chart.svg.append(curve(line, colour, { "stroke-width": c.chosen ? 3 : 1.2, "stroke-opacity": c.chosen ? 1 : 0.7 }));
    const [x, y] = line[line.length - 1];
    chart.svg.append(draw("circle", { cx: place(x), cy: place(y), r: c.chosen ? 5 : 3, fill: colour }, draw("title", {}, c.method + ", step " + digits(c.step_size) + ", batch " + grouped(c.batch_size) + ": dropped after round " + c.rounds)));
  }
  return chart.svg;
}

/** Errors over all coordinates, computed as in tuning: minus the part that Monte Carlo error explains. */
function foundErrors() {
  if (!bias || bias.names.length === 0) return null;
  const over = (values, errors, size) => {
    let sum = 0, count = 0;
    values.forEach((value, k) => { const x = size(value); if (isNumber(x) && isNumber(errors[k])) { sum += Math.min(x * x, 25) - Math.min(errors[k] * errors[k], 25); ++count; } });
    return count > 0 ? Math.sqrt(Math.max(0, sum / count)) : null;
  };
  const sizes = parameters ? bias.names.map((name) => (nameIndex.has(name) ? parameters.summary.ess_bulk[nameIndex.get(name)] : null)).filter((x) => x > 0) : [];
  return { sds: over(bias.sd_ratio, bias.sd_error, (r) => (r > 0 ? Math.log(r) : null)), means: over(bias.shift, bias.shift_error, (x) => x),
           noise: sizes.length > 0 ? Math.sqrt(sizes.reduce((sum, size) => sum + 1.5 / size, 0) / sizes.length) : null };
}

/** Chains as lines along their iterations, with a cross where one diverged. */
function paintReductions(reductions, width) {
  const chains = [...new Set(reductions.map((r) => r[0]))].sort((a, b) => a - b), last = Math.max(...reductions.map((r) => r[1])) * 1.08 || 1, row = 30, height = row * chains.length + 44;
  const chart = axes(width, height, { lo: 0, hi: last, label: "iteration, warm-up included", format: grouped }, { lo: 0, hi: 1, ticks: null }, { left: 62, top: 4 });
  chains.forEach((chain, line) => {
    const y = 4 + row * (line + 0.6);
    chart.svg.append(draw("text", { x: 54, y: y + 4, "text-anchor": "end" }, "chain " + chain), draw("line", { x1: chart.left, x2: chart.right, y1: y, y2: y, class: "grid" }));
    for (const r of reductions.filter((one) => one[0] === chain)) {
      const x = chart.x(r[1]);
      chart.svg.append(draw("line", { x1: chart.x(r[2]), x2: x, y1: y, y2: y, class: "lost" }), draw("path", { d: "M" + place(x - 4) + " " + (y - 4) + "l8 8m0 -8l-8 8", class: "divergence" }));
      chart.svg.append(draw("text", { x: Math.min(x, chart.right - 20), y: y - 8, "text-anchor": "middle", class: "small" }, "\u00d7" + digits(r[3], 2)));
    }
  });
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
    const pictures = make("div", { class: "pictures" }), rounds = tried.filter((c) => c.course.length > 0);
    if (usable.length > 1)
      pictures.append(figure("What was tried", counted(tried.length, "candidate") + ", " + grouped(tried.filter((c) => c.diverged).length) + " of which diverged. Small steps have a large Monte Carlo error, large steps are biased.", (width) => paintTuning(tried, width)));
    if (rounds.length > 1)
      pictures.append(figure("Rounds", "The expected error of each candidate as it ran longer. After each round the worse half was dropped" + (chosen ? "; the thick line is the one chosen, in the end with an expected error of " + digits(chosen.error, 2) + " sds" : "") + ".", (width) => paintRounds(rounds, width)));
    if (pictures.childElementCount > 0) section.append(pictures, legend([...new Set(usable.map((c) => c.method))].map((m, k) => [m, seriesColour(k)])));
    const found = foundErrors();
    if (chosen && isNumber(chosen.error) && found) {
      const error = (x) => (isNumber(x) ? digits(x, 2) : dash), sum = (a, b, c) => Math.sqrt((a || 0) ** 2 + (b || 0) ** 2 + (c || 0) ** 2);
      const whole = sum(found.sds, found.means, found.noise), ratio = whole / chosen.error;
      section.append(make("h3", {}, "Expected and found"),
        make("p", {}, "Tuning expected an error of " + error(chosen.error) + " sds, the draws have one of " + error(whole) + (ratio > 2 ? ": more than twice as much. Short runs did not show all of it." : ratio < 0.5 ? ": less than half of it." : ": about the same.")),
        table(["error, in sds, over all coordinates", "expected", "found"], [["of sds (bias)", error(chosen.sd_error), error(found.sds)], ["of means (bias)", error(chosen.mean_error), error(found.means)], ["Monte Carlo", error(chosen.monte_carlo), error(found.noise)], ["together", error(chosen.error), error(whole)]], "numbers"));
    }
    if (tried.length > 0)
      section.append(folded("Candidates as a table", table(["method", "step size", "batch", "iterations", "rounds", "sd error", "mean error", "Monte Carlo", "expected error", ""], tried.map((c) => [c.method, digits(c.step_size), grouped(c.batch_size), grouped(c.iterations), grouped(c.rounds),
        digits(c.sd_error, 2), digits(c.mean_error, 2), digits(c.monte_carlo, 2), digits(c.error, 2), c.diverged ? "diverged" : c.chosen ? "chosen" : ""]), "numbers")));
    if (tuning.mode) section.append(make("p", { class: "caption" }, "Search for the mode: " + tuning.mode));
  }
  if (run.repeated)
    section.append(make("p", {}, "The run was made twice: with the step size that tuning had chosen, the verdict was \u201c" + run.repeated.trust + "\u201d, so it was repeated with half that step."));
  if (run.reductions && run.reductions.length > 0)
    section.append(figure("Recoveries", "Steps were made smaller " + counted(run.reductions.length, "time") + ", because a chain diverged (cross) and went back to an earlier state (the line before it). Numbers: what the step is multiplied by from there on.", (width) => paintReductions(run.reductions, width)),
                   folded("As a table", table(["chain", "diverged at iteration", "went back to", "step multiplied by"], run.reductions.slice(0, 50).map((r) => [String(r[0]), grouped(r[1]), grouped(r[2]), digits(r[3])]), "numbers")));
}
