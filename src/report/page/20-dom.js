// Builds elements one by one and sets text as text nodes, so that tags in a name are never interpreted.
const svgSpace = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}
const make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes, ...children) => fill(document.createElementNS(svgSpace, tag), attributes, children);

const main = document.getElementById("main");
const sections = [];

/** Adds a section that the navigation lists. */
function addSection(id, title, ...children) {
  const section = make("section", { id, class: "card", "aria-labelledby": id + "-title" },
                       make("h2", { id: id + "-title" }, title), ...children);
  main.append(section);
  sections.push([id, title]);
  return section;
}

const drawn = [];  // figures that are redrawn when their width changes

/**
 * A picture with a caption that says the same in words. paint(width) returns an SVG element; details: more to read, such
 * as a table, that opens on demand.
 */
function figure(title, caption, paint, details) {
  const holder = make("div", { class: "picture" });
  const node = make("figure", {}, title ? make("figcaption", { class: "figure-title" }, title) : null, holder,
                    make("p", { class: "caption" }, caption), details || null);
  const one = { holder, paint, width: 0, label: title + ". " + (typeof caption === "string" ? caption : "") };
  drawn.push(one);
  return node;
}

function paintFigure(one) {
  const width = Math.floor(one.holder.clientWidth);
  if (width < 40 || width === one.width) return;
  one.width = width;
  const picture = one.paint(width);
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", one.label);
  one.holder.replaceChildren(picture);
}

function paintAll() {
  for (let k = drawn.length - 1; k >= 0; --k)
    if (drawn[k].holder.isConnected) paintFigure(drawn[k]);
    else if (drawn[k].width > 0) drawn.splice(k, 1);
}

/** A table; cells of the first column are headers of their rows. */
function table(head, rows, classes) {
  return make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "table" },
              make("table", { class: classes },
                   make("thead", {}, make("tr", {}, head.map((text) => make("th", { scope: "col" }, text)))),
                   make("tbody", {}, rows.map((cells) => make("tr", {}, cells.map(
                     (cell, k) => (k === 0 ? make("th", { scope: "row" }, cell) : make("td", {}, cell))))))));
}

/** A sentence in which names in backquotes are code. */
function sentence(text) {
  const parts = text.split("`"), whole = parts.length % 2 === 1;
  const words = parts.map((part, k) => (whole && k % 2 === 1 ? make("code", {}, part) : part));
  if (text && !/[.!?]$/.test(text)) words.push(".");
  return make("span", {}, words);
}

const folded = (summary, ...children) => make("details", {}, make("summary", {}, summary), ...children);
