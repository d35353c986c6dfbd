import type { Logger } from 'pino';

import type { HookConfig } from './config/config.ts';
import { readHookCertificate } from './hook-certificate.ts';
import { readHookTokens } from './hook-tokens.ts';
import { createBearerGate, type BearerGate } from './http/bearer.ts';
import type { Certificate } from './http/server.ts';
import type { Secret } from './secret.ts';
import { watchedFiles, type Reading, type WatchedFiles } from './watched-files.ts';

/** What the hook shows, and what it wants to be shown. */
export interface HookCredentials {
  /** As it was at the start; undefined: plain HTTP. */
  readonly certificate: Certificate | undefined;
  /** Undefined: nobody is asked for a token. */
  readonly gate: BearerGate | undefined;
  /** From now on changed files count. */
  follow(replaceCertificate: (certificate: Certificate) => void): void;
  stop(): void;
}

/** Throws Error when a file cannot be used. */
export async function hookCredentials(
  { tls, tokens }: Pick<HookConfig, 'tls' | 'tokens'>,
  logger: Logger,
): Promise<HookCredentials> {
  const certificate = tls === undefined ? undefined : await certificateIn(tls);
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

const certificateIn = ({
  certFile,
  keyFile,
}: {
  readonly certFile: string;
  readonly keyFile: string;
}): Promise<WatchedFiles<Certificate>> =>
  watchedFiles({
    paths: [certFile, keyFile],
    read: ([cert = '', key = '']) => readHookCertificate(cert, key),
  });

const tokensIn = (file: string) =>
  watchedFiles({
    paths: [file],
    read: ([text = '']): Reading<readonly Secret[]> => {
      const read = readHookTokens(text);
      return 'fault' in read ? read : { value: read.tokens };
    },
  });
