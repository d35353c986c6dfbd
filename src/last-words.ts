interface LastWords {
  readonly name: string;
  readonly code?: string;
  /** Where it happened. */
  readonly at: readonly string[];
}

/**
 * What may be said of an error that nobody expected. Its message is left out: it comes from anywhere, and may hold the
 * text, the statement or the header that somebody choked on.
 */
export function lastWords(error: unknown): LastWords {
  if (!(error instanceof Error)) return { name: `a thrown ${typeof error}`, at: [] };
  const frames = (error.stack ?? '').replace(error.message, '').split('\n');
  return {
    name: error.name,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    at: frames.filter((line) => /^ {4}at /.test(line)).map((line) => line.trim()),
  };
}
