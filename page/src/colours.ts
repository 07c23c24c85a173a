// Classes in the colours of the library's pictures (Okabe and Ito), hues of equal lightness beyond eight.

const OKABE_ITO = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"];

export function classColour(index: number, count: number): string {
  if (count <= OKABE_ITO.length) return OKABE_ITO[index];
  return `hsl(${Math.round((360 * index) / count)} 55% 52%)`;
}
