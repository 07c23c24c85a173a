// How wide a text is in the font of the cards, and how much of it fits.

const FONT = '620 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
let context: CanvasRenderingContext2D | null | undefined;

export function textWidth(text: string): number {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return text.length * 9;
  context.font = FONT;
  return context.measureText(text).width;
}

// By letters as readers count them, so that no pair of code units is torn apart.
export function fitted(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const letters = [...text];
  let low = 1;
  let high = letters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(`${letters.slice(0, middle).join("")}…`) <= width) low = middle;
    else high = middle - 1;
  }
  return `${letters.slice(0, low).join("")}…`;
}
