// Access to the data of the page, and formatting of numbers.
const data = JSON.parse(document.getElementById("data").textContent);

/** Bytes of a base64 text. */
function bytesOf(text) {
  const raw = atob(text || "");
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; ++k) bytes[k] = raw.charCodeAt(k);
  return bytes;
}

const isNumber = (x) => typeof x === "number" && isFinite(x);
const minus = "\u2212", dash = "\u2013";

/** Formats with this many significant digits; a dash if unknown. */
function digits(x, count = 3) {
  if (!isNumber(x)) return dash;
  if (x === 0) return "0";
  const size = Math.abs(x);
  let text;
  if (size >= 1e6 || size < 1e-4) text = x.toExponential(count - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  else text = String(Number(x.toPrecision(count)));
  return text.replace("-", minus);
}

/** Formats with this many decimals, or in scientific notation if zeros or digits would fill the cell. */
function fixed(x, decimals) {
  if (!isNumber(x)) return dash;
  const size = Math.abs(x);
  if (size >= 1e6 || (size > 0 && decimals > 6)) return digits(x, 4);
  return x.toFixed(Math.max(0, Math.min(8, decimals))).replace("-", minus);
}

function grouped(count) {
  if (!isNumber(count)) return dash;
  return String(Math.round(count)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

const percent = (x) => (isNumber(x) ? (x > 0 ? "+" : x < 0 ? minus : "") + digits(Math.abs(100 * x), 2) + "\u00a0%" : dash);
const counted = (count, word) => grouped(count) + " " + word + (count === 1 ? "" : "s");

function timeText(seconds) {
  if (!isNumber(seconds)) return dash;
  if (seconds < 120) return digits(seconds, 3) + " s";
  if (seconds < 7200) return digits(seconds / 60, 3) + " min";
  return digits(seconds / 3600, 3) + " h";
}

/** "a, b and 3 more". */
function listed(names, most) {
  if (names.length <= most) return names.join(", ");
  return names.slice(0, most).join(", ") + " and " + grouped(names.length - most) + " more";
}
