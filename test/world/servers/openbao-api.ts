/** Where an OpenBao is and what token to use there; absent: none. */
export interface OpenBaoAccess {
  readonly url: string;
  readonly token?: string;
}

export interface OpenBaoAnswer {
  readonly status: number;
  /** The JSON body; `{}` for an empty one. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface OpenBaoRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below `/v1/`, with its query. */
  readonly path: string;
  readonly body?: object;
}

/** OpenBao's answer, whatever its status. @throws TypeError or DOMException when there is none within 10 s */
export async function askOpenBao(access: OpenBaoAccess, request: OpenBaoRequest): Promise<OpenBaoAnswer> {
  const response = await fetch(`${access.url}/v1/${request.path}`, {
    method: request.method,
    headers: {
      'content-type': 'application/json',
      ...(access.token === undefined ? {} : { 'x-vault-token': access.token }),
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

/** The body of a successful answer. @throws Error with status and error texts of any other */
export async function callOpenBao(
  access: OpenBaoAccess,
  request: OpenBaoRequest,
): Promise<OpenBaoAnswer['body']> {
  const { status, body } = await askOpenBao(access, request);
  if (status === 200 || status === 204) return body;
  throw new Error(
    `${request.method} ${request.path}: OpenBao answered ${status} ${JSON.stringify(body['errors'])}`,
  );
}
