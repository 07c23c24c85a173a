// Scales and ticks: a range of numbers on a range of pixels, with round numbers at the ticks.

export type Scale = ((value: number) => number) & { ticks: number[]; low: number; high: number };

export function scale(low: number, high: number, from: number, to: number, wanted = 5): Scale {
  if (!(high > low)) {
    const room = Math.abs(low) || 1;
    [low, high] = [low - 0.05 * room, low + 0.05 * room];
  }
  const step = niceStep((high - low) / wanted);
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9 && ticks.length < 20; k += 1) ticks.push(Number((k * step).toPrecision(12)));
  const found = ((value: number) => from + ((value - low) / (high - low)) * (to - from)) as Scale;
  return Object.assign(found, { ticks, low, high });
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const share = rough / power;
  return power * (share > 5 ? 10 : share > 2 ? 5 : share > 1 ? 2 : 1);
}

export function tick(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-4)) return value.toExponential(1);
  return String(Number(value.toPrecision(6))).replace("-", "−");
}
