import type { Logger } from 'pino';

import { readHookCertificate, type HookCertificate } from './hook-certificate.ts';
import { readHookTokens } from './hook-tokens.ts';
import { createBearerGate, type BearerGate } from '../http/bearer.ts';
import type { Secret } from '../secret.ts';
import { watchedFiles } from './watched-files.ts';

/** Where they come from. */
export interface HookCredentialSources {
  /** Paths of PEM files. Undefined: plain HTTP, as was asked for. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** One token, or two during a rotation; a file has one a line (`readHookTokens`). Undefined: nobody is asked for one. */
  readonly tokens: { readonly file: string } | { readonly values: readonly Secret[] } | undefined;
}

/** What the hook shows, and what it wants to be shown. */
export interface HookCredentials {
  /** As it was at the start; undefined: plain HTTP. */
  readonly certificate: HookCertificate | undefined;
  /** Undefined: nobody is asked for a token. */
  readonly gate: BearerGate | undefined;
  /** From now on changed files count. */
  follow(replaceCertificate: (certificate: HookCertificate) => void): void;
  stop(): void;
}

/** Throws Error when a file cannot be used. */
export async function hookCredentials(
  { tls, tokens }: HookCredentialSources,
  logger: Logger,
): Promise<HookCredentials> {
  const certificate = tls === undefined ? undefined : await certificateIn(tls);
  if (certificate !== undefined) warnOfExpiry(certificate.value, logger);
  const tokenFile = tokens !== undefined && 'file' in tokens ? await tokensIn(tokens.file) : undefined;
  const first = tokens !== undefined && 'values' in tokens ? tokens.values : tokenFile?.value;
  const gate = first === undefined ? undefined : createBearerGate(first);
  return {
    certificate: certificate?.value,
    gate,
    follow: (replaceCertificate) => {
      certificate?.follow(tellingOf('certificate of the hook', logger, replaceCertificate));
      tokenFile?.follow(tellingOf('tokens of the hook', logger, (accepted) => gate?.accept(accepted)));
    },
    stop: () => {
      certificate?.stop();
      tokenFile?.stop();
    },
  };
}

const tellingOf = <T>(what: string, logger: Logger, use: (value: T) => void) => ({
  onChange: (value: T) => {
    use(value);
    logger.info({ what }, 'changed files are in use now');
  },
  onFault: (fault: string) =>
    logger.warn({ what, fault }, 'changed files cannot be used; what was there before stays in use'),
});

const certificateIn = ({ certFile, keyFile }: { readonly certFile: string; readonly keyFile: string }) =>
  watchedFiles({
    paths: [certFile, keyFile],
    read: ([cert = '', key = '']) => readHookCertificate(cert, key),
  });

const tokensIn = (file: string) =>
  watchedFiles({ paths: [file], read: ([text = '']) => readHookTokens(text) });

/** Whoever renews certificates by hand has time left; whoever lets a machine do it has heard nothing by then. */
const soonMs = 14 * 86_400_000;

function warnOfExpiry({ expiresAt }: HookCertificate, logger: Logger): void {
  if (expiresAt > Date.now() + soonMs) return;
  logger.warn({ expires: new Date(expiresAt) }, 'the certificate of the hook has expired or soon will');
}
