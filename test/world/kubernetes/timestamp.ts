/** Now, or so many seconds later, as Kubernetes writes it: UTC, whole seconds. */
export const timestamp = (secondsFromNow = 0): string =>
  `${new Date(Date.now() + secondsFromNow * 1000).toISOString().slice(0, 19)}Z`;
