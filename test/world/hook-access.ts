import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { join } from 'node:path';

import type { KubeClient } from './kubernetes/client.ts';
import { secrets } from './kubernetes/resources.ts';
import type { ControllerOverrides } from './metacontroller/controllers-for.ts';
import type { OpenBao } from './servers/openbao.ts';
import { issueCertificate, type Certificate } from './servers/pki.ts';

interface Parts {
  readonly openBao: OpenBao;
  readonly kube: KubeClient;
  /** Where the Secret is that Metacontroller reads the token from. */
  readonly namespace: string;
  /** Where the operator finds its files. */
  readonly folder: string;
}

/** How the hook is reached: over TLS, with a bearer token. */
export interface HookAccess {
  /** What the operator is told about it. */
  readonly env: Readonly<Record<string, string>>;
  /** What the CompositeControllers say about it. */
  readonly controllers: Pick<ControllerOverrides, 'caBundle' | 'authorization'>;
  readonly certificate: Certificate;
  /** Absent where the hook asks for none. */
  readonly token?: string;
  /** One request as Metacontroller makes it, to any origin that shows this certificate. */
  post(url: string, body: string | Buffer): Promise<{ status: number; text: string }>;
}

const secretRef = { name: 'metacontroller-hook-token', key: 'token' };

/** The hook's certificate for this machine, and the token that Metacontroller shows it. */
export async function setUpHookAccess({ openBao, kube, namespace, folder }: Parts): Promise<HookAccess> {
  const certificate = await issueCertificate(openBao, {
    commonName: 'postgresql-tenant-operator',
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
  });
  const token = randomBytes(32).toString('hex');
  await kube.create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secretRef.name, namespace },
    stringData: { [secretRef.key]: token },
  });
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const env = {
    HOOK_TLS: 'on',
    HOOK_TLS_CERT_FILE: await file('hook.crt', certificate.cert),
    HOOK_TLS_KEY_FILE: await file('hook.key', certificate.key),
    HOOK_AUTHENTICATION: 'token',
    HOOK_TOKEN_FILE: await file('hook-token', token),
  };
  const authorization = { secretRef: { ...secretRef, namespace } };
  const controllers = { caBundle: certificate.ca, authorization };
  return { ...accessTo(certificate, token), env, controllers };
}

/** Access to a hook that runs already with this certificate. */
export const accessTo = (
  certificate: Certificate,
  token?: string,
): Omit<HookAccess, 'env' | 'controllers'> => ({
  certificate,
  ...(token === undefined ? {} : { token }),
  post: (url, body) => send(url, body, { ca: certificate.ca, token }),
});

const send = (
  url: string,
  body: string | Buffer,
  { ca, token }: { readonly ca: string; readonly token: string | undefined },
): ReturnType<HookAccess['post']> =>
  new Promise((resolve, reject) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { 'content-type': 'application/json', ...authorization };
    // One that announces to close would lose an answer that comes before its body is sent.
    const agent = new Agent({ ca, keepAlive: true });
    const sent = request(url, { method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => (text += more));
      response.once('error', reject).once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent
      .once('error', reject)
      .once('close', () => agent.destroy())
      .end(body);
  });
