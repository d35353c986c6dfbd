import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** The layers, innermost first. A folder may import itself and what its row allows; `domain` stays pure. */
const layers = {
  api: { folders: [], packages: ['zod'] },
  domain: { folders: ['api'], packages: ['node:crypto', 'node:util'] },
  'back-pressure': { folders: ['domain'], packages: [] },
  reconcile: { folders: ['api', 'domain'], packages: ['node:crypto', 'node:util', 'zod'] },
  postgres: {
    folders: ['domain', 'reconcile', 'back-pressure'],
    packages: ['pg', 'node:crypto', 'node:dns', 'node:tls', 'node:net', 'node:util', 'zod'],
  },
  'http-client': {
    folders: [],
    packages: ['axios', 'node:https', 'node:http', 'node:fs', 'node:fs/promises'],
  },
  openbao: {
    folders: ['domain', 'reconcile', 'http-client', 'back-pressure'],
    packages: ['axios', 'zod', 'node:fs/promises'],
  },
  kubernetes: {
    folders: ['api', 'domain', 'reconcile', 'http-client', 'back-pressure'],
    packages: ['axios', 'zod', 'node:fs/promises', 'node:https'],
  },
  metrics: { folders: ['domain', 'reconcile'], packages: ['prom-client'] },
  http: {
    folders: ['api', 'domain', 'reconcile', 'metrics', 'back-pressure'],
    packages: [
      'fastify',
      'zod',
      'pino',
      'node:crypto',
      'node:http',
      'node:https',
      'node:net',
      'node:stream',
      'node:tls',
    ],
  },
  'hook-credentials': {
    folders: ['http', 'http-client'],
    packages: ['pino', 'node:crypto', 'node:fs/promises', 'node:timers/promises'],
  },
  config: { folders: ['http-client', 'openbao', 'hook-credentials'], packages: ['zod', 'node:net'] },
  log: { folders: ['config', 'reconcile', 'metrics'], packages: ['pino'] },
  process: {
    folders: [
      'config',
      'hook-credentials',
      'http',
      'kubernetes',
      'log',
      'metrics',
      'openbao',
      'postgres',
      'reconcile',
    ],
    packages: ['fastify', 'pino', 'zod', 'node:fs', 'node:net', 'node:timers/promises'],
  },
  generate: {
    folders: ['api', 'config', 'domain'],
    packages: ['zod', 'yaml', 'prettier', 'node:fs/promises', 'node:path', 'node:url'],
  },
};
/** What may stand directly in src/ and be imported by every folder. main.ts, beside them, wires the process. */
const everywhere = ['errors', 'secret', 'pem'];

const barring = (regex, message) => ({
  'no-restricted-imports': ['error', { patterns: regex.map((one) => ({ regex: one, message })) }],
});

const importRules = [
  {
    files: ['src/*/**/*.ts'],
    rules: barring(['.'], 'Give the folder a row in `layers`, which says what it may import.'),
  },
  ...Object.entries(layers).map(([name, { folders, packages }]) => ({
    files: [`src/${name}/**/*.ts`],
    rules: barring(
      [
        `^\\.\\./(?!(${folders.join('|') || ' '})/|(${everywhere.join('|')})\\.ts$)`,
        `^(?!(${packages.join('|') || ' '})$)[^.]`,
      ],
      `${name}/ may import only ${[...folders, ...packages].join(', ') || 'nothing else'}.`,
    ),
  })),
  {
    files: [`src/{${everywhere.join(',')}}.ts`],
    rules: barring(['^\\./(?!domain/)'], 'What every folder may import knows the domain at most.'),
  },
];

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
