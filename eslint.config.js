import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** The layers, innermost first. A folder may import itself and what its row allows; `domain` stays pure. */
const layers = {
  api: { folders: [], packages: ['zod'] },
  domain: { folders: ['api'], packages: ['node:crypto', 'node:util'] },
  'back-pressure': { folders: ['domain'], packages: [] },
  reconcile: { folders: ['api', 'domain', 'back-pressure'], packages: ['node:crypto', 'node:util', 'zod'] },
  postgres: {
    folders: ['domain', 'reconcile', 'back-pressure'],
    packages: ['pg', 'node:crypto', 'node:tls', 'node:net', 'node:util', 'zod'],
  },
  'http-client': { folders: [], packages: ['axios', 'node:https', 'node:http', 'node:fs/promises'] },
  openbao: {
    folders: ['domain', 'reconcile', 'http-client'],
    packages: ['axios', 'zod', 'node:fs/promises'],
  },
  kubernetes: {
    folders: ['api', 'domain', 'reconcile', 'http-client', 'back-pressure'],
    packages: ['axios', 'zod', 'node:fs/promises', 'node:https'],
  },
  metrics: { folders: ['domain', 'reconcile'], packages: ['prom-client'] },
  http: {
    folders: ['api', 'domain', 'reconcile', 'metrics', 'back-pressure'],
    packages: ['fastify', 'zod', 'pino', 'node:crypto', 'node:http', 'node:https', 'node:net'],
  },
  config: { folders: ['http-client', 'openbao'], packages: ['zod', 'node:net'] },
  generate: {
    folders: ['api', 'config', 'domain'],
    packages: ['zod', 'yaml', 'prettier', 'node:fs/promises', 'node:path', 'node:url'],
  },
};
const adapters = Object.keys(layers);

const importRules = Object.entries(layers).map(([name, { folders, packages }]) => {
  const barred = adapters.filter((other) => other !== name && !folders.includes(other));
  const allowed = packages.map((p) => p.replaceAll('/', '\\/')).join('|');
  return {
    files: [`src/${name}/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `^\\.\\./(${barred.join('|')})/`,
              message: `${name}/ may import only ${folders.join(', ') || 'nothing else'}.`,
            },
            { regex: '^\\.\\./(main|config|logger)\\.ts$', message: 'Only main.ts wires the process.' },
            {
              regex: allowed === '' ? '^[^.]' : `^(?!(${allowed})$)[^.]`,
              message: `${name}/ may use only ${packages.join(', ') || 'no package'}.`,
            },
          ],
        },
      ],
    },
  };
});

export default tseslint.config(
  { ignores: ['node_modules/', 'dist/', '.cache/', '.demo/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      'max-lines': ['error', { max: 200, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
    },
  },
  {
    files: ['src/domain/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...[
          'Date',
          'fetch',
          'setTimeout',
          'setInterval',
          'setImmediate',
          'process',
          'performance',
          'console',
          'crypto',
        ],
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'The domain has no randomness.' },
      ],
    },
  },
  ...importRules,
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['test', 'it', 'describe', 'suite'] },
          ],
        },
      ],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['test/demo/**/*.ts', 'src/generate/**/*.ts', 'tools/**/*.mjs'], rules: { 'no-console': 'off' } },
  {
    files: ['tools/**/*.mjs', 'eslint.config.js'],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', URL: 'readonly', Buffer: 'readonly' },
    },
  },
);
