/** Idle sockets are closed before a load balancer would do so: a write on a dead socket has an unknown outcome. */
export const keepAlive = { keepAlive: true, timeout: 20_000 };
