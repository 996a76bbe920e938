// Places of widgets on the canvas of a board, in its units: snapping, resizing, aligning and distributing. Pure.

export const SMALLEST = 8;

// Lines at which something can snap: edges and centres of the canvas and of other widgets.
export function guidesOf(canvas, others) {
  const across = [0, canvas.width / 2, canvas.width];
  const down = [0, canvas.height / 2, canvas.height];
  for (const one of others) {
    across.push(one.x, one.x + one.width / 2, one.x + one.width);
    down.push(one.y, one.y + one.height / 2, one.y + one.height);
  }
  return { across, down };
}

// The nearest of the lines for any of the points, or the grid where no line is near: how far to move, and the line.
function nearest(points, lines, { tolerance, grid }) {
  let found = null;
  for (const point of points) {
    for (const line of lines) {
      const by = line - point;
      if (Math.abs(by) <= tolerance && (!found || Math.abs(by) < Math.abs(found.by))) found = { by, line };
    }
  }
  return found ?? { by: Math.round(points[0] / grid) * grid - points[0], line: null };
}

export function snapMove(rect, guides, snap) {
  if (!snap) return { rect: rounded(rect), lines: [] };
  const across = nearest([rect.x, rect.x + rect.width / 2, rect.x + rect.width], guides.across, snap);
  const down = nearest([rect.y, rect.y + rect.height / 2, rect.y + rect.height], guides.down, snap);
  return { rect: rounded({ ...rect, x: rect.x + across.by, y: rect.y + down.by }), lines: linesOf(across, down) };
}

// A handle is named by the edges that it moves: "n", "se" and so on.
export function resize(rect, handle, by, guides, snap) {
  let [left, top, right, bottom] = [rect.x, rect.y, rect.x + rect.width, rect.y + rect.height];
  const at = (value, lines) => (snap ? nearest([value], lines, snap) : { by: 0, line: null });
  let across = { line: null };
  let down = { line: null };
  if (handle.includes("w")) {
    across = at(left + by.x, guides.across);
    left = Math.min(left + by.x + across.by, right - SMALLEST);
  }
  if (handle.includes("e")) {
    across = at(right + by.x, guides.across);
    right = Math.max(right + by.x + across.by, left + SMALLEST);
  }
  if (handle.includes("n")) {
    down = at(top + by.y, guides.down);
    top = Math.min(top + by.y + down.by, bottom - SMALLEST);
  }
  if (handle.includes("s")) {
    down = at(bottom + by.y, guides.down);
    bottom = Math.max(bottom + by.y + down.by, top + SMALLEST);
  }
  return { rect: rounded({ x: left, y: top, width: right - left, height: bottom - top }), lines: linesOf(across, down) };
}

function linesOf(across, down) {
  const lines = [];
  if (across.line !== null) lines.push({ across: across.line });
  if (down.line !== null) lines.push({ down: down.line });
  return lines;
}

function rounded(rect) {
  const round = (value) => Math.round(value * 10) / 10;
  return { x: round(rect.x), y: round(rect.y), width: round(rect.width), height: round(rect.height) };
}

// A widget has to touch its canvas.
export function within(rect, canvas) {
  const x = Math.min(Math.max(rect.x, SMALLEST - rect.width), canvas.width - SMALLEST);
  const y = Math.min(Math.max(rect.y, SMALLEST - rect.height), canvas.height - SMALLEST);
  return rounded({ ...rect, x, y });
}

export function boundsOf(rects) {
  const x = Math.min(...rects.map((one) => one.x));
  const y = Math.min(...rects.map((one) => one.y));
  const right = Math.max(...rects.map((one) => one.x + one.width));
  const bottom = Math.max(...rects.map((one) => one.y + one.height));
  return { x, y, width: right - x, height: bottom - y };
}

// One widget is aligned within the canvas, several within what they cover together.
export function align(rects, how, canvas) {
  const area = rects.length > 1 ? boundsOf(rects) : { x: 0, y: 0, ...canvas };
  const moved = {
    left: () => ({ x: area.x }),
    center: (one) => ({ x: area.x + (area.width - one.width) / 2 }),
    right: (one) => ({ x: area.x + area.width - one.width }),
    top: () => ({ y: area.y }),
    middle: (one) => ({ y: area.y + (area.height - one.height) / 2 }),
    bottom: (one) => ({ y: area.y + area.height - one.height }),
  }[how];
  return rects.map((one) => rounded({ ...one, ...moved(one) }));
}

// The same gap between each two: the outermost ones stay.
export function spread(rects, how) {
  const [start, size] = how === "across" ? ["x", "width"] : ["y", "height"];
  const sorted = rects.map((rect, index) => ({ rect, index })).sort((a, b) => a.rect[start] - b.rect[start]);
  const area = boundsOf(rects);
  const filled = rects.reduce((sum, one) => sum + one[size], 0);
  const gap = (area[size] - filled) / (rects.length - 1);
  const found = [...rects];
  let at = area[start];
  for (const { rect, index } of sorted) {
    found[index] = rounded({ ...rect, [start]: at });
    at += rect[size] + gap;
  }
  return found;
}
