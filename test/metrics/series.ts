/** Series of `/metrics`, e.g. `pgtenancy_acts_total{step="CreateRole",outcome="ok"}`, with their values. */
export const seriesOf = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const end = line.lastIndexOf(' ');
        return [line.slice(0, end), Number(line.slice(end + 1))];
      }),
  );

/** Only those of the operator, without those of the process. */
export const ownSeriesOf = (text: string): Map<string, number> =>
  new Map([...seriesOf(text)].filter(([name]) => name.startsWith('pgtenancy_')));
