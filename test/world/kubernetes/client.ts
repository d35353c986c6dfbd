import { Agent } from 'node:https';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

import axios, { type AxiosInstance } from 'axios';

/** Any Kubernetes object; what lies below `metadata` is for the caller to know. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  data?: Record<string, string>;
  [key: string]: unknown;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  [key: string]: unknown;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** A REST resource: group '' is the core group. */
export interface Resource {
  group: string;
  version: string;
  plural: string;
}

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: KubeObject;
}

/** The API server said no: `code` is the HTTP status, `reason` the machine-readable word (NotFound, Conflict, Invalid, ...). */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.reason = reason;
  }
}

export interface ApiAccess {
  url: string;
  token?: string;
  ca?: string;
  /** Default: that of the HTTP library. */
  userAgent?: string;
}

/** A small client for the Kubernetes API, real or stand-in: what kubectl and controllers need in tests. */
export class KubeClient {
  readonly #http: AxiosInstance;

  constructor(access: ApiAccess) {
    this.#http = axios.create({
      baseURL: access.url,
      proxy: false,
      maxRedirects: 0,
      timeout: 30_000,
      validateStatus: () => true,
      headers: {
        ...(access.token === undefined ? {} : { authorization: `Bearer ${access.token}` }),
        ...(access.userAgent === undefined ? {} : { 'user-agent': access.userAgent }),
      },
      ...(access.ca === undefined ? {} : { httpsAgent: new Agent({ ca: access.ca, keepAlive: true }) }),
    });
  }

  /** undefined: not found. */
  async get(resource: Resource, name: string, namespace?: string): Promise<KubeObject | undefined> {
    try {
      return await this.#call<KubeObject>('GET', pathOf(resource, namespace, name));
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
  }

  async list(
    resource: Resource,
    namespace?: string,
  ): Promise<{ items: KubeObject[]; resourceVersion: string }> {
    const list = await this.#call<{ items: KubeObject[]; metadata: { resourceVersion: string } }>(
      'GET',
      pathOf(resource, namespace),
    );
    return { items: list.items, resourceVersion: list.metadata.resourceVersion };
  }

  create(resource: Resource, object: KubeObject): Promise<KubeObject> {
    return this.#call('POST', pathOf(resource, object.metadata.namespace), object);
  }

  /** As `kubectl create` does by default: an unknown field is an error. */
  createStrictly(resource: Resource, object: KubeObject): Promise<KubeObject> {
    return this.#call(
      'POST',
      `${pathOf(resource, object.metadata.namespace)}?fieldValidation=Strict`,
      object,
    );
  }

  /** PUT; with `metadata.resourceVersion` it fails with Conflict when that is not the newest. */
  update(resource: Resource, object: KubeObject): Promise<KubeObject> {
    return this.#call('PUT', pathOf(resource, object.metadata.namespace, object.metadata.name), object);
  }

  updateStatus(resource: Resource, object: KubeObject): Promise<KubeObject> {
    return this.#call(
      'PUT',
      `${pathOf(resource, object.metadata.namespace, object.metadata.name)}/status`,
      object,
    );
  }

  /** JSON merge patch; `subresource` e.g. 'status'. */
  patch(
    resource: Resource,
    name: string,
    namespace: string | undefined,
    body: object,
    subresource?: string,
  ): Promise<KubeObject> {
    const suffix = subresource === undefined ? '' : `/${subresource}`;
    return this.#call('PATCH', `${pathOf(resource, namespace, name)}${suffix}`, body, {
      'content-type': 'application/merge-patch+json',
    });
  }

  /** Server-side apply; the stand-in for the API does not know it. */
  applyPatch(
    resource: Resource,
    object: KubeObject,
    { fieldManager, force }: { fieldManager: string; force: boolean },
  ): Promise<KubeObject> {
    const { name, namespace } = object.metadata;
    const query = `fieldManager=${encodeURIComponent(fieldManager)}&force=${String(force)}`;
    return this.#call('PATCH', `${pathOf(resource, namespace, name)}?${query}`, object, {
      'content-type': 'application/apply-patch+yaml',
    });
  }

  /** JSON patch; the stand-in for the API does not know it. */
  jsonPatch(
    resource: Resource,
    name: string,
    namespace: string | undefined,
    operations: readonly { op: string; path: string; value?: unknown }[],
  ): Promise<KubeObject> {
    return this.#call('PATCH', pathOf(resource, namespace, name), operations, {
      'content-type': 'application/json-patch+json',
    });
  }

  /** Not found is fine: false. `propagation` and `graceSeconds` as in DeleteOptions; `uid` as a precondition. */
  async delete(
    resource: Resource,
    name: string,
    namespace?: string,
    options: {
      propagation?: 'Background' | 'Foreground' | 'Orphan';
      uid?: string;
      graceSeconds?: number;
    } = {},
  ): Promise<boolean> {
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: options.propagation ?? 'Background',
      ...(options.uid === undefined ? {} : { preconditions: { uid: options.uid } }),
      ...(options.graceSeconds === undefined ? {} : { gracePeriodSeconds: options.graceSeconds }),
    };
    try {
      await this.#call('DELETE', pathOf(resource, namespace, name), body);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return false;
      throw error;
    }
  }

  /** TokenRequest: the answer's `status` has the token of this ServiceAccount and when it ends. */
  requestToken(serviceAccount: string, namespace: string, spec: object): Promise<KubeObject> {
    const path = pathOf({ group: '', version: 'v1', plural: 'serviceaccounts' }, namespace, serviceAccount);
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    return this.#call('POST', `${path}/token`, body);
  }

  /** Creates the object, or merges it into the one that is there, as `kubectl apply` does for simple cases. */
  async apply(resource: Resource, object: KubeObject): Promise<KubeObject> {
    const { name, namespace } = object.metadata;
    if ((await this.get(resource, name, namespace)) === undefined)
      return this.createStrictly(resource, object);
    return this.patch(resource, name, namespace, object);
  }

  /** Events after `resourceVersion`, until `signal` aborts or the server ends the stream. */
  async *watch(
    resource: Resource,
    options: { namespace?: string; resourceVersion: string; signal: AbortSignal },
  ): AsyncGenerator<WatchEvent> {
    const response = await this.#http.get<Readable>(pathOf(resource, options.namespace), {
      params: { watch: 'true', resourceVersion: options.resourceVersion },
      responseType: 'stream',
      timeout: 0,
      signal: options.signal,
    });
    if (response.status !== 200)
      throw new ApiError(response.status, 'WatchFailed', `watch answered ${response.status}`);
    try {
      for await (const line of createInterface({ input: response.data })) {
        if (line !== '') yield JSON.parse(line) as WatchEvent;
      }
    } finally {
      response.data.destroy();
    }
  }

  async #call<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const response = await this.#http.request<T & { reason?: string; message?: string }>({
      method,
      url: path,
      data: body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    if (response.status >= 300) {
      const { reason, message } = response.data;
      throw new ApiError(
        response.status,
        reason ?? 'Unknown',
        message ?? `${method} ${path}: ${response.status}`,
      );
    }
    return response.data;
  }
}

const pathOf = (resource: Resource, namespace?: string, name?: string): string =>
  [
    resource.group === '' ? '/api' : `/apis/${resource.group}`,
    resource.version,
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    resource.plural,
    ...(name === undefined ? [] : [name]),
  ].join('/');
