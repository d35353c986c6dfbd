const unitsMs: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1, us: 1e-3, ns: 1e-6 };

/** Milliseconds of a Go duration such as `10s`, `1m30s` or `500ms`; throws on anything else. */
export const parseGoDuration = (text: string): number => {
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us|ns))+$/.test(text)) throw new Error(`invalid duration ${text}`);
  return [...text.matchAll(/([\d.]+)(h|ms|m|s|us|ns)/g)]
    .map(([, amount = '', unit = '']) => Number(amount) * (unitsMs[unit] ?? 0))
    .reduce((sum, part) => sum + part, 0);
};
