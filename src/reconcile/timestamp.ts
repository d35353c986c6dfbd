/** RFC 3339 in whole seconds, as `metav1.Time` is; `now`: milliseconds since the epoch. */
export const timestamp = (now: number): string => new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
