import { z } from 'zod';

import { readHookTokens } from '../hook-credentials/hook-tokens.ts';
import type { Secret } from '../secret.ts';
import { certificates, hookTokens, namedFile, privateKey, type ReadFile } from './file-shapes.ts';
import { choice, integer } from './value-shapes.ts';
import { valueDocs, variableDocs } from './variable-docs.ts';

const hookToken = () =>
  z
    .string()
    .transform((text, context): readonly Secret[] => {
      const read = readHookTokens(text);
      if ('value' in read) return read.value;
      context.addIssue({ code: 'custom', message: read.fault });
      return z.NEVER;
    })
    .register(valueDocs, { looksLike: 'at least 32 characters' });

export const hookVariables = (readFile: ReadFile) => ({
  PORT: integer(0, 65_535, 8080).register(variableDocs, {
    meaning: 'TCP port of the hooks that Metacontroller calls. 0 takes any free port; the log says which.',
  }),
  METRICS_PORT: integer(0, 65_535, 9090).register(variableDocs, {
    meaning:
      'TCP port of `/healthz`, `/readyz` and `/metrics`: always plain HTTP, without a token. 0 takes any free port.',
  }),
  HOOK_TLS: choice('on', 'off').default('on').register(variableDocs, {
    meaning:
      '`off` serves the hooks in plain HTTP: for a trial on one machine, or where a proxy in the same Pod ends TLS.',
  }),
  HOOK_TLS_CERT_FILE: namedFile(readFile, certificates).register(variableDocs, {
    meaning:
      'Certificate of the hooks, followed by those between it and its CA. It must have the DNS name by which Metacontroller calls the hooks. Read again when it changes.',
    requiredWhen: 'with `HOOK_TLS=on`',
  }),
  HOOK_TLS_KEY_FILE: namedFile(readFile, privateKey).register(variableDocs, {
    meaning: 'Private key of that certificate, without passphrase. Read again when it changes.',
    requiredWhen: 'with `HOOK_TLS=on`',
  }),
  HOOK_AUTHENTICATION: choice('token', 'none').default('token').register(variableDocs, {
    meaning:
      '`token`: a caller of the hooks must show a bearer token. `none`: whoever reaches the port may call them, so a NetworkPolicy must keep out all but Metacontroller.',
  }),
  HOOK_TOKEN: hookToken().optional().register(variableDocs, {
    meaning:
      'The bearer token that Metacontroller shows. A second line may hold another one that is accepted as well, while the token is being replaced. `HOOK_TOKEN_FILE` is the better way: it needs no restart.',
    requiredWhen: 'with `HOOK_AUTHENTICATION=token`, one of the two',
    secret: true,
  }),
  HOOK_TOKEN_FILE: namedFile(readFile, hookTokens).register(variableDocs, {
    meaning: 'The same in a file, one token a line, one line or two. Read again when it changes.',
    requiredWhen: 'with `HOOK_AUTHENTICATION=token`, one of the two',
  }),
});
