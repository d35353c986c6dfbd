import axios from 'axios';

/** Why a request got no answer; made from a library error, of which nothing else survives. */
export interface ConnectionFailure {
  /** For people; the same as long as the trouble is the same. */
  readonly text: string;
  /** False only when it is certain that no byte of the request was sent. */
  readonly mayHaveArrived: boolean;
}

const neverSent = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ENOTFOUND', 'the name does not resolve'],
  ['EAI_AGAIN', 'the name does not resolve'],
  ['EHOSTUNREACH', 'there is no route to the host'],
  ['ENETUNREACH', 'there is no route to the host'],
]);

const timeouts = new Set(['ETIMEDOUT', 'ECONNABORTED', 'ERR_CANCELED']);

/** OpenSSL's and Node's words for a certificate that does not verify. */
const certificateCode = /CERT|UNABLE_TO_|ERR_TLS_/;

export const connectionFailureOf = (error: unknown): ConnectionFailure => {
  const code = axios.isAxiosError(error) ? (error.code ?? '') : '';
  const text = neverSent.get(code);
  if (text !== undefined) return { text, mayHaveArrived: false };
  if (certificateCode.test(code)) {
    return { text: `its certificate does not verify (${code})`, mayHaveArrived: false };
  }
  if (timeouts.has(code)) return { text: 'it did not answer in time', mayHaveArrived: true };
  return { text: 'the connection broke', mayHaveArrived: true };
};
