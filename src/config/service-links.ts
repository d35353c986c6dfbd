const byName =
  /._SERVICE_HOST$|._SERVICE_PORT(_[A-Z0-9_]+)?$|._PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;

/**
 * The kubelet puts variables for every Service of a namespace into its Pods
 * (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables). Nobody chose them: a Service
 * named `openbao` must be no mistake, and one named `metrics` must not move our METRICS_PORT.
 */
export const isServiceLink = (name: string, value: string): boolean =>
  byName.test(name) || (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value));
