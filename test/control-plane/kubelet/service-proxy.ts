import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

import type { KubeClient, Resource } from '../../world/kubernetes/client.ts';
import type { Kubelet } from './kubelet.ts';

const services: Resource = { group: '', version: 'v1', plural: 'services' };

interface Options {
  readonly kube: KubeClient;
  readonly kubelet: Kubelet;
  readonly namespace: string;
  /** Of the Service. */
  readonly name: string;
  /** Name of its port, and of that of the Pods. */
  readonly port: 'hook' | 'metrics';
}

export interface ServiceProxy {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * An address of this machine that stands for a port of a Service: each connection goes to the next Ready Pod that the
 * Service selects at this moment, and is refused when there is none.
 */
export async function startServiceProxy(options: Options): Promise<ServiceProxy> {
  let turn = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.once('close', () => open.delete(socket)).once('error', () => socket.destroy()));
    targets(options).then(
      (urls) => forward(socket, urls[turn++ % urls.length]),
      () => socket.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

async function targets({ kube, kubelet, namespace, name, port }: Options): Promise<URL[]> {
  const service = await kube.get(services, name, namespace);
  const spec = service?.spec as { selector: Record<string, string>; ports: { name: string }[] } | undefined;
  if (!spec?.ports.some((one) => one.name === port)) return [];
  return kubelet
    .serving(namespace, spec.selector)
    .map(({ hook }) => new URL(port === 'hook' ? hook.url : hook.metricsUrl));
}

function forward(socket: Socket, target: URL | undefined): void {
  if (target === undefined) return void socket.destroy();
  const onward = connect(Number(target.port), target.hostname);
  onward.once('error', () => socket.destroy()).once('close', () => socket.destroy());
  socket.once('close', () => onward.destroy());
  socket.pipe(onward).pipe(socket);
}
