// A tidy layout: levels on lines, subtrees as near to each other as their outlines allow, parents in the middle.

export interface Box {
  id: number;
  kids: number[];
  width: number;
}

export interface Places {
  x: Map<number, number>; // centre of each box
  level: Map<number, number>;
  width: number;
  levels: number;
}

const GAP = 14;

// Parents come before their children in `boxes`. Works from the last to the first: no recursion over depth.
export function layout(boxes: Box[], root: number): Places {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const offset = new Map<number, number>(); // from the parent's centre
  const left = new Map<number, number[]>(); // outlines relative to the own centre, level by level
  const right = new Map<number, number[]>();
  for (let i = boxes.length - 1; i >= 0; i -= 1) {
    const box = boxes[i];
    const half = box.width / 2;
    const kids = box.kids.filter((kid) => byId.has(kid));
    if (kids.length === 0) {
      left.set(box.id, [-half]);
      right.set(box.id, [half]);
      continue;
    }
    const places = [0];
    let outlineLeft = left.get(kids[0])!.slice();
    let outlineRight = right.get(kids[0])!.slice();
    for (let k = 1; k < kids.length; k += 1) {
      const nextLeft = left.get(kids[k])!;
      const nextRight = right.get(kids[k])!;
      let shift = 0;
      for (let d = 0; d < Math.min(outlineRight.length, nextLeft.length); d += 1) {
        shift = Math.max(shift, outlineRight[d] - nextLeft[d] + GAP);
      }
      places.push(shift);
      for (let d = 0; d < nextLeft.length; d += 1) {
        if (d >= outlineLeft.length) outlineLeft.push(nextLeft[d] + shift);
        outlineRight[d] = nextRight[d] + shift;
      }
    }
    const middle = (places[0] + places[places.length - 1]) / 2;
    kids.forEach((kid, k) => offset.set(kid, places[k] - middle));
    outlineLeft = [-half, ...outlineLeft.map((x) => x - middle)];
    outlineRight = [half, ...outlineRight.map((x) => x - middle)];
    left.set(box.id, outlineLeft);
    right.set(box.id, outlineRight);
  }
  const shift = -Math.min(...left.get(root)!);
  const x = new Map<number, number>([[root, shift]]);
  const level = new Map<number, number>([[root, 0]]);
  let width = 0;
  let levels = 1;
  for (const box of boxes) {
    const own = x.get(box.id);
    if (own === undefined) continue;
    width = Math.max(width, own + box.width / 2);
    for (const kid of box.kids) {
      if (!byId.has(kid)) continue;
      x.set(kid, own + offset.get(kid)!);
      level.set(kid, level.get(box.id)! + 1);
      levels = Math.max(levels, level.get(kid)! + 1);
    }
  }
  return { x, level, width, levels };
}
