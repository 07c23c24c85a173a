// Numbers as people read them: four significant digits, no more than tell two values apart.

export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return String(value).replace("-", "−");
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(0, digits - 1)).replace("e+", "e").replace("-", "−");
  const places = Math.max(0, Math.min(6, digits - 1 - Math.floor(Math.log10(size))));
  return value.toFixed(size >= 1 ? Math.min(places, digits) : Math.min(6, digits)).replace("-", "−");
}

export function measure(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  return Math.abs(value) < 1000 ? value.toFixed(4).replace("-", "−") : number(value, 6);
}

export function count(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString("en-US").replace(/,/g, " ") : number(value, 5);
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

export function bytes(n: number): string {
  return n >= 1 << 20 ? `${Math.round(n / (1 << 20))} MB` : `${Math.round(n / 1024)} kB`;
}
