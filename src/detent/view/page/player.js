"use strict";
// Plays what is in the element "data". Every text of the model goes through textContent or fillText.
const data = JSON.parse(document.getElementById("data").textContent);
const element = name => document.getElementById(name);

// -- numbers ---------------------------------------------------------------------------------------

/** The numbers at a place in the store. */
function numbers(place) {
  const packed = data.store[place];
  if (packed.numbers) return packed.numbers;
  const bytes = Uint8Array.from(atob(packed.bytes), letter => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer), wide = packed.kind === "f8" ? 8 : 4;
  const found = new Float64Array(bytes.length / wide);
  for (let k = 0; k < found.length; k++)
    found[k] = wide === 8 ? view.getFloat64(8 * k, true) : view.getFloat32(4 * k, true);
  return packed.numbers = found;
}

const times = numbers(data.times), count = times.length, first = times[0], last = times[count - 1];
const points = new Map(Object.entries(data.points).map(([name, place]) => [name, numbers(place)]));
for (const piece of data.pieces) {
  piece.place = numbers(piece.places);
  piece.turn = numbers(piece.turns);
  piece.ways = piece.lines.map(numbers);
  piece.still = piece.place.length === 3;
  if (piece.solid !== null) {
    piece.solid = data.store[piece.solid];
    piece.corners = numbers(piece.solid.places);
  }
}
for (const trace of data.traces) { trace.time = numbers(trace.times); trace.place = numbers(trace.places); }
if (data.touches) {
  data.touches.point = numbers(data.touches.points);
  data.touches.force = numbers(data.touches.forces);
}
const curveTime = numbers(data.curves.time);
for (const panel of data.curves.panels) for (const curve of panel.curves) curve.value = numbers(curve.values);

/** The last frame at or before a time. */
function frameAt(time) {
  let low = 0, high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle; else high = middle - 1;
  }
  return low;
}

/** A row of three numbers; of what stands still there is only one. */
function row(places, frame) {
  const at = places.length === 3 ? 0 : 3 * frame;
  return [places[at], places[at + 1], places[at + 2]];
}

/** A matrix from a quaternion (w, x, y, z). */
function matrix(turn, frame) {
  const at = turn.length === 4 ? 0 : 4 * frame;
  const w = turn[at], x = turn[at + 1], y = turn[at + 2], z = turn[at + 3];
  return [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
          2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
          2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
}

function placed(own, at, turn, place) {
  const x = own[at], y = own[at + 1], z = own[at + 2];
  return [place[0] + turn[0] * x + turn[1] * y + turn[2] * z,
          place[1] + turn[3] * x + turn[4] * y + turn[5] * z,
          place[2] + turn[6] * x + turn[7] * y + turn[8] * z];
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const sum = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];

// -- camera ----------------------------------------------------------------------------------------

const scene = element("scene"), pen = scene.getContext("2d");
const camera = {};
function goHome() {
  Object.assign(camera, { middle: [...data.camera.middle], axes: data.camera.axes.map(axis => [...axis]), zoom: 1 });
}
goHome();
let wide = 1, high = 1, scale = 1;

function seen(place) {
  const from = [place[0] - camera.middle[0], place[1] - camera.middle[1], place[2] - camera.middle[2]];
  return [wide / 2 + scale * dot(from, camera.axes[0]), high / 2 - scale * dot(from, camera.axes[1]),
          dot(from, camera.axes[2])];
}

function turnAbout(axis, angle) {
  const c = Math.cos(angle), s = Math.sin(angle);
  camera.axes = camera.axes.map(v =>
    sum(sum(scaled(v, c), scaled(cross(axis, v), s)), scaled(axis, dot(axis, v) * (1 - c))));
}

// -- the scene -------------------------------------------------------------------------------------

const INK = "#1b2631", STILL = "#888888";

function mixed(colour, light) {
  const parts = [1, 3, 5].map(k => parseInt(colour.slice(k, k + 2), 16));
  return "rgb(" + parts.map(part => Math.round(light <= 1 ? part * light : 255 - (255 - part) * (2 - light))) + ")";
}

function line(places, colour, thick, fill) {
  pen.beginPath();
  places.forEach((place, k) => k ? pen.lineTo(place[0], place[1]) : pen.moveTo(place[0], place[1]));
  if (fill) { pen.fillStyle = fill; pen.fill(); }
  pen.strokeStyle = colour; pen.lineWidth = thick; pen.lineJoin = pen.lineCap = "round"; pen.stroke();
}

function dotAt(place, radius, colour) {
  pen.beginPath(); pen.arc(place[0], place[1], radius, 0, 2 * Math.PI); pen.fillStyle = colour; pen.fill();
}

const depth = places => places.reduce((total, place) => total + place[2], 0) / places.length;

/** Things to draw, each with its distance; those that are behind come first. */
function things(frame) {
  const found = [], add = (far, draw) => found.push({ far, draw });
  for (const piece of data.pieces) {
    if (piece.since !== null && times[frame] < piece.since) continue;
    if (piece.until !== null && times[frame] >= piece.until) continue;
    const turn = matrix(piece.turn, frame), place = row(piece.place, frame);
    if (piece.solid) faces(piece, turn, place, add);
    piece.ways.forEach((way, number) => {
      const corners = [];
      for (let k = 0; k < way.length; k += 3) corners.push(seen(placed(way, k, turn, place)));
      const closed = corners.length > 3 && ["circle", "polygon", "mass"].includes(piece.kind);
      const colour = piece.kind === "axes" ? ["#c0392b", "#27ae60", "#2471a3"][number] : piece.still ? STILL : piece.colour;
      const far = depth(corners) + (piece.kind === "axes" ? data.size : 0);
      add(far, () => line(corners, colour, 2, closed ? mixed(piece.colour, 1.8) : null));
    });
  }
  for (const [one, other] of data.rods) {
    const ends = [one, other].map(name => seen(row(points.get(name), frame)));
    const moves = [one, other].some(name => points.get(name).length > 3);
    add(depth(ends), () => line(ends, moves ? INK : STILL, moves ? 4 : 2));
  }
  for (const name of data.masses) {
    const at = seen(row(points.get(name), frame));
    add(at[2], () => dotAt(at, 4, INK));
  }
  for (const name of data.hinges) {
    const [x, y, z] = seen(row(points.get(name), frame));
    add(z + data.size, () => line([[x, y], [x - 7, y + 11], [x + 7, y + 11], [x, y]], STILL, 1.5, "#eee"));
  }
  return found.sort((a, b) => a.far - b.far);
}

function faces(piece, turn, place, add) {
  const corners = [], ground = piece.kind === "plane";
  for (let k = 0; k < piece.corners.length; k += 3) corners.push(seen(placed(piece.corners, k, turn, place)));
  piece.solid.faces.forEach((face, number) => {
    const own = face.map(corner => corners[corner]);
    const x1 = own[2][0] - own[0][0], y1 = own[2][1] - own[0][1];
    const x2 = own[own.length - 1][0] - own[1][0], y2 = own[own.length - 1][1] - own[1][1];
    const area = x1 * y2 - y1 * x2;      // the picture's y goes down: seen from outside it is negative
    if (area >= 0) {
      if (ground) {                      // from behind it hides nothing, but is seen to be there
        const film = piece.solid.tones[number] ? "rgba(110,120,130,0.16)" : "rgba(110,120,130,0.08)";
        add(1e300, () => line([...own, own[0]], "transparent", 0.1, film));
      }
      return;
    }
    const z1 = scale * (own[2][2] - own[0][2]), z2 = scale * (own[own.length - 1][2] - own[1][2]);
    const normal = [z1 * y2 - y1 * z2, z1 * x2 - x1 * z2, -area];
    const length = Math.hypot(...normal) || 1;
    const light = 0.62 + 0.45 * Math.max(0, (-0.35 * normal[0] + 0.55 * normal[1] + 0.75 * normal[2]) / length);
    const tone = piece.solid.tones[number];
    const colour = ground ? mixed(tone ? "#e3e7ea" : "#eef1f3", Math.min(1, light)) : mixed(piece.colour, light * (tone ? 1.35 : 1));
    if (piece.kind === "mass") {       // stands for a body, whose rods are seen through it
      const pale = colour.replace("rgb(", "rgba(").replace(")", ",0.55)");
      add(depth(own), () => line([...own, own[0]], "transparent", 0.1, pale));
    } else add(ground ? -1e300 : depth(own), () => line([...own, own[0]], colour, 0.7, colour));
  });
}

function drawTraces(frame) {
  for (const trace of data.traces) {
    pen.beginPath();
    let begun = false;
    for (let k = 0; k < trace.time.length && trace.time[k] <= times[frame]; k++) {
      const x = trace.place[3 * k];
      if (Number.isNaN(x)) { begun = false; continue; }
      const at = seen([x, trace.place[3 * k + 1], trace.place[3 * k + 2]]);
      if (begun) pen.lineTo(at[0], at[1]); else pen.moveTo(at[0], at[1]);
      begun = true;
    }
    pen.strokeStyle = trace.colour; pen.lineWidth = 1.4; pen.stroke();
  }
}

function drawForces(frame) {
  const touches = data.touches, places = touches.names.length;
  for (let k = 0; k < places; k++) {
    if (touches.touching[frame * places + k] !== "1") continue;
    const at = 3 * (frame * places + k), point = [0, 1, 2].map(n => touches.point[at + n]);
    const force = [0, 1, 2].map(n => touches.force[at + n]);
    const from = seen(point);
    dotAt(from, 3.5, data.force_colour);
    if (touches.largest > 0) arrow(from, seen(sum(point, scaled(force, 0.25 * data.size / touches.largest))));
  }
}

function arrow(from, to) {
  const x = to[0] - from[0], y = to[1] - from[1], length = Math.hypot(x, y);
  if (length < 2) return;
  const tip = Math.min(9, length / 2), a = x / length, b = y / length;
  const neck = [to[0] - tip * a, to[1] - tip * b];
  line([from, neck], data.force_colour, 2);
  line([to, [neck[0] - tip * b / 2, neck[1] + tip * a / 2], [neck[0] + tip * b / 2, neck[1] - tip * a / 2], to],
       data.force_colour, 1, data.force_colour);
}

function drawScene() {
  pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  pen.clearRect(0, 0, wide, high);
  scale = camera.zoom * 0.88 * Math.min(wide / data.camera.width, high / data.camera.height);
  const drawn = things(shown), behind = drawn.filter(thing => thing.far === -1e300);
  for (const thing of behind) thing.draw();
  if (element("traces").checked) drawTraces(shown);
  for (const thing of drawn) if (thing.far !== -1e300) thing.draw();
  if (data.touches && element("forces").checked) drawForces(shown);
}

// -- the curves ------------------------------------------------------------------------------------

const LEFT = 62, RIGHT = 8, TOP = 20, BOTTOM = 18;
const span = last > first ? last - first : 1;
const panels = data.curves.panels.map(panel => {
  const canvas = document.createElement("canvas"), still = document.createElement("canvas");
  canvas.title = panel.heading;
  canvas.addEventListener("pointerdown", event => { canvas.setPointerCapture(event.pointerId); choose(event); });
  canvas.addEventListener("pointermove", event => { if (event.buttons) choose(event); });
  function choose(event) {
    const box = canvas.getBoundingClientRect();
    goTo(first + span * (event.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT - RIGHT));
  }
  element("panels").append(canvas);
  return { panel, canvas, still };
});

function bounds(panel) {
  let low = Infinity, top = -Infinity;
  for (const curve of panel.curves) for (const value of curve.value)
    if (Number.isFinite(value)) { low = Math.min(low, value); top = Math.max(top, value); }
  if (low > top) return [-1, 1];
  const room = 0.06 * (top - low) || 0.1 * Math.abs(top) || 1;
  return [low - room, top + room];
}

/** Round numbers between two others, three or four of them. */
function ticks(low, top) {
  const rough = (top - low) / 4, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(factor => factor * power >= rough);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= top; k++) found.push(k * step);
  return found;
}

const short = value => value === 0 ? "0" : String(Number(value.toPrecision(6)));

function drawPanel({ panel, canvas, still }) {
  const box = canvas.getBoundingClientRect(), ratio = devicePixelRatio;
  for (const each of [canvas, still]) { each.width = box.width * ratio; each.height = box.height * ratio; }
  const ink = still.getContext("2d"), right = box.width - RIGHT, bottom = box.height - BOTTOM;
  const [low, top] = bounds(panel);
  const across = time => LEFT + (right - LEFT) * (time - first) / span;
  const up = value => bottom - (bottom - TOP) * (value - low) / (top - low);
  ink.setTransform(ratio, 0, 0, ratio, 0, 0);
  for (const visit of data.modes) {
    ink.fillStyle = visit.colour;
    ink.fillRect(across(visit.start), TOP, across(visit.end) - across(visit.start), bottom - TOP);
  }
  ink.strokeStyle = "#bbb"; ink.lineWidth = 1; ink.strokeRect(LEFT, TOP, right - LEFT, bottom - TOP);
  ink.strokeStyle = "#b0b6bb"; ink.lineWidth = 0.6;
  for (const time of data.marks) { ink.beginPath(); ink.moveTo(across(time), TOP); ink.lineTo(across(time), bottom); ink.stroke(); }
  ink.font = "11px system-ui, sans-serif"; ink.fillStyle = "#555"; ink.textAlign = "right";
  for (const value of ticks(low, top)) {
    ink.fillText(short(value), LEFT - 5, up(value) + 4);
    ink.fillRect(LEFT - 3, up(value) - 0.5, 3, 1);
  }
  ink.textAlign = "left"; ink.fillText(short(first) + " s", LEFT, bottom + 13);
  ink.textAlign = "right"; ink.fillText(short(last) + " s", right, bottom + 13);
  for (const curve of panel.curves) {
    ink.beginPath();
    let begun = false;
    curve.value.forEach((value, k) => {
      if (!Number.isFinite(value)) { begun = false; return; }
      if (begun) ink.lineTo(across(curveTime[k]), up(value)); else ink.moveTo(across(curveTime[k]), up(value));
      begun = true;
    });
    ink.strokeStyle = curve.colour; ink.lineWidth = 1.4; ink.stroke();
  }
  ink.textAlign = "left"; ink.fillStyle = "#333"; ink.fillText(panel.heading, 4, 13);
  let x = 12 + ink.measureText(panel.heading).width;
  for (const curve of panel.curves) {
    const length = ink.measureText(curve.name).width + 20;
    if (x + length > right) { ink.fillStyle = "#333"; ink.fillText("…", x, 13); break; }
    ink.fillStyle = curve.colour; ink.fillRect(x, 8, 10, 3); ink.fillText(curve.name, x + 13, 13);
    x += length;
  }
}

function drawCursors() {
  for (const { canvas, still } of panels) {
    const ink = canvas.getContext("2d"), x = LEFT * devicePixelRatio;
    const at = x + (canvas.width - (LEFT + RIGHT) * devicePixelRatio) * (times[shown] - first) / span;
    ink.setTransform(1, 0, 0, 1, 0, 0);
    ink.clearRect(0, 0, canvas.width, canvas.height);
    ink.drawImage(still, 0, 0);
    ink.strokeStyle = "#c0392b"; ink.lineWidth = devicePixelRatio;
    ink.beginPath(); ink.moveTo(at, TOP * devicePixelRatio); ink.lineTo(at, canvas.height - BOTTOM * devicePixelRatio); ink.stroke();
  }
}

// -- time ------------------------------------------------------------------------------------------

let shown = 0, now = first, playing = false, before = null;
const slider = element("slider"), clock = element("clock"), mode = element("mode");
slider.min = first; slider.max = last > first ? last : first + 1; slider.step = "any";

function show(frame) {
  shown = frame;
  slider.value = times[frame];
  clock.textContent = `t = ${times[frame].toFixed(data.digits)} s`;
  document.body.dataset.frame = frame;
  const visit = data.modes.findLast(each => each.start <= times[frame]);
  if (visit) { mode.textContent = visit.mode; mode.style.background = visit.colour; }
  drawScene();
  drawCursors();
  markEvents();
}

function goTo(time) { now = Math.min(last, Math.max(first, time)); before = null; show(frameAt(now)); }

function setPlaying(wanted) {
  playing = wanted; before = null;
  document.body.dataset.playing = playing ? "yes" : "no";
  element("play").textContent = playing ? "Pause" : "Play";
  if (playing) { if (now >= last) now = first; requestAnimationFrame(tick); }
}

function tick(stamp) {
  if (!playing) return;
  if (before !== null) now += (stamp - before) / 1000 * Number(element("speed").value);
  before = stamp;
  if (now >= last) { now = last; show(count - 1); setPlaying(false); return; }
  const frame = frameAt(now);
  if (frame !== shown) show(frame);
  requestAnimationFrame(tick);
}

for (const factor of [0.05, 0.1, 0.25, 0.5, 1, 2, 5]) {
  const option = document.createElement("option");
  option.value = factor * data.speed;
  option.textContent = `${Number((factor * data.speed).toPrecision(3))} ×`;
  option.selected = factor === 1;
  element("speed").append(option);
}
element("play").addEventListener("click", () => setPlaying(!playing));
slider.addEventListener("input", () => goTo(Number(slider.value)));

// -- events ----------------------------------------------------------------------------------------

element("eventcount").textContent = data.event_words;
const eventButtons = data.events.map(event => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = event.text;
  button.title = event.text;
  button.addEventListener("click", () => goTo(event.time));
  element("events").append(button);
  return button;
});
if (!data.events.length) element("eventbox").open = false;
let marked = -1;

function markEvents() {
  let latest = -1;
  while (latest + 1 < data.events.length && data.events[latest + 1].time <= times[shown]) latest++;
  if (latest === marked) return;
  marked = latest;
  eventButtons.forEach((button, k) => { button.className = k === latest ? "now" : k < latest ? "past" : ""; });
  if (latest >= 0) {
    const box = element("events"), button = eventButtons[latest];
    const from = button.offsetTop - box.offsetTop;
    if (from < box.scrollTop || from + button.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = from - box.clientHeight / 2;
  }
}

element("next").addEventListener("click", () => {
  const event = data.events.find(each => each.time > times[shown]);
  if (event) goTo(event.time);
});
element("previous").addEventListener("click", () => {
  const event = data.events.findLast(each => each.time < times[shown]);
  goTo(event ? event.time : first);
});

// -- looking around --------------------------------------------------------------------------------

scene.addEventListener("pointerdown", event => scene.setPointerCapture(event.pointerId));
scene.addEventListener("pointermove", event => {
  if (!event.buttons) return;
  if (data.planar || event.shiftKey || event.buttons !== 1) {
    camera.middle = sum(camera.middle, sum(scaled(camera.axes[0], -event.movementX / scale),
                                           scaled(camera.axes[1], event.movementY / scale)));
  } else {
    turnAbout(data.camera.upwards, -event.movementX * 0.008);
    turnAbout(camera.axes[0], -event.movementY * 0.008);
  }
  drawScene();
});
scene.addEventListener("contextmenu", event => event.preventDefault());
scene.addEventListener("wheel", event => {
  event.preventDefault();
  camera.zoom *= Math.exp(-event.deltaY * 0.0012);
  drawScene();
}, { passive: false });
element("home").addEventListener("click", () => { goHome(); drawScene(); });
element("traces").addEventListener("change", drawScene);
element("forces").addEventListener("change", drawScene);
element("hint").textContent = (data.planar ? "drag: move" : "drag: turn · shift-drag: move") + " · wheel: zoom · space: play · arrows: frame by frame";
if (!data.touches) element("forces").parentElement.hidden = true;
if (!data.traces.length) element("traces").parentElement.hidden = true;

addEventListener("keydown", event => {
  if (["BUTTON", "SELECT", "SUMMARY"].includes(event.target.tagName) && event.key === " ") return;
  if (event.key === " ") { event.preventDefault(); setPlaying(!playing); }
  if (event.target === slider || event.target.tagName === "SELECT") return;
  if (event.key === "ArrowRight") goTo(times[Math.min(count - 1, shown + 1)]);
  if (event.key === "ArrowLeft") goTo(times[Math.max(0, shown - 1)]);
});

function fit() {
  const box = element("view").getBoundingClientRect();
  wide = box.width; high = box.height;
  scene.width = wide * devicePixelRatio; scene.height = high * devicePixelRatio;
  panels.forEach(drawPanel);
  show(shown);
}
addEventListener("resize", fit);
fit();
document.body.dataset.ready = "yes";
