// Updates a page that is served during its run: polls the server, and reloads as draws are added.
const goesOn = (status) => status === "running" || status === "tuning" || status === "judging";

function followRun() {
  const live = data.live, remembered = "sgmcmc-live";
  const target = live.target || 0, made = parameters ? parameters.draws.reduce((a, b) => a + b, 0) : 0;
  const finite = (list) => (list || []).filter(isNumber);
  const s = parameters ? parameters.summary : {}, worst = Math.max(...finite(s.rhat), 0), least = Math.min(...finite(s.ess_bulk), Infinity);
  const line = make("p", { class: "live", role: "status", id: "live" });
  document.querySelector("header").append(line);
  const words = (state) => {
    const running = goesOn(state.status);
    if (!running) return state.status === "killed" ? "The run was killed. These are its draws." : "The run has ended (" + state.status + ").";
    if (state.status === "judging") return "The draws are being judged.";
    if (made === 0) return state.status === "tuning" ? "Tuning: there are no draws yet." : "There are no draws yet.";
    const left = target > made && live.elapsed > 0 ? (live.elapsed * (target - made)) / made - (state.elapsed - live.elapsed) : NaN;
    return "Running: " + grouped(made) + (target ? " of " + grouped(target) : "") + " draws" + (worst > 0 ? ", largest R-hat " + fixed(worst, 3) : "") +
      (isFinite(least) ? ", least effective sample size " + grouped(least) + " (" + digits(least / Math.max(1e-9, live.elapsed), 2) + " per second)" : "") +
      (isNumber(left) ? ", about " + timeText(Math.max(0, Math.round(left))) + " left" : "") + ".";
  };
  line.textContent = words(live);
  try {
    const before = JSON.parse(sessionStorage.getItem(remembered) || "null");
    if (before && before.name && nameIndex.has(before.name)) showParameter(nameIndex.get(before.name), false);
    const search = document.getElementById("search");
    if (before && before.search && search) { search.value = before.search; search.dispatchEvent(new Event("input")); }
    if (before) window.scrollTo(0, before.scroll);
  } catch (error) { /* without storage, the page starts at the top */ }
  const loaded = Date.now();
  async function ask() {
    let state = null;
    try {
      state = await (await fetch("state", { cache: "no-store" })).json();
    } catch (error) {
      line.textContent = "The server does not respond any more. These are the last numbers it sent.";
      return;
    }
    const running = goesOn(state.status);
    const due = !running || Date.now() - loaded > 1000 * state.every;
    const typing = document.activeElement instanceof HTMLInputElement && document.activeElement.type !== "checkbox";
    if (state.stamp !== live.stamp && due && !typing) {
      const search = document.getElementById("search");
      try {
        sessionStorage.setItem(remembered, JSON.stringify({ name: parameters && parameters.names[shownParameter], search: search && search.value, scroll: window.scrollY }));
      } catch (error) { /* likewise */ }
      location.reload();
      return;
    }
    line.textContent = words(state);
    if (running || state.stamp !== live.stamp) setTimeout(ask, 2000);
  }
  setTimeout(ask, 2000);
}
if (data.live) followRun();
