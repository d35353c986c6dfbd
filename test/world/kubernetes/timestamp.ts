/** Now as Kubernetes writes it: UTC, whole seconds. */
export const timestamp = (): string => `${new Date().toISOString().slice(0, 19)}Z`;
