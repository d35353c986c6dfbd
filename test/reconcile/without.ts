/** The same object without one of its fields. */
export const without = <T extends object, Key extends keyof T>(value: T, field: Key): Omit<T, Key> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== field)) as Omit<T, Key>;
