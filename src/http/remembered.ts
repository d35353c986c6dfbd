/** Makes a thing once for all that ask while it is made and for that long afterwards, so that nobody can ask too often. */
export function remembered<T>(milliseconds: number, make: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | undefined;
  const forget = () => {
    latest = undefined;
  };
  return () => (latest ??= make().finally(() => setTimeout(forget, milliseconds).unref()));
}
