type Fault =
  | 'Required value'
  | 'Invalid value'
  | 'Unsupported value'
  | 'Duplicate value'
  | 'Forbidden'
  | 'Too long'
  | 'Too many';

/** One fault of one field, worded as kube-apiserver words it. */
export interface FieldError {
  readonly path: string;
  readonly fault: Fault;
  /** The refused value; left out where the API server does not show it. */
  readonly value?: unknown;
  readonly detail: string;
  /** CEL rules are not run on an object whose shape is wrong. */
  readonly blocksRules: boolean;
}

export const required = (path: string, detail = ''): FieldError => ({
  path,
  fault: 'Required value',
  detail,
  blocksRules: true,
});

export const forbidden = (path: string, detail: string): FieldError => ({
  path,
  fault: 'Forbidden',
  detail,
  blocksRules: false,
});

export const invalid = (path: string, value: unknown, detail: string): FieldError => ({
  path,
  fault: 'Invalid value',
  value,
  detail,
  blocksRules: false,
});

export const wrongType = (path: string, value: unknown, detail: string): FieldError => ({
  ...invalid(path, value, detail),
  blocksRules: true,
});

export const unsupported = (path: string, value: unknown, supported: readonly unknown[]): FieldError => ({
  path,
  fault: 'Unsupported value',
  value,
  detail: `supported values: ${supported.map((item) => JSON.stringify(item)).join(', ')}`,
  blocksRules: false,
});

export const duplicate = (path: string, value: unknown): FieldError => ({
  path,
  fault: 'Duplicate value',
  value,
  detail: '',
  blocksRules: false,
});

export const tooLong = (path: string, maximum: number): FieldError => ({
  path,
  fault: 'Too long',
  detail: `may not be more than ${maximum} bytes`,
  blocksRules: true,
});

export const tooMany = (path: string, actual: number, maximum: number): FieldError => ({
  path,
  fault: 'Too many',
  value: actual,
  detail: `must have at most ${maximum} items`,
  blocksRules: true,
});

/** Stands beside the faults for which rules were left out. */
export const rulesNotChecked: FieldError = invalid(
  '',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

/** `spec.port: Invalid value: 0: spec.port in body should be greater than or equal to 1` */
export function describe(error: FieldError): string {
  const value = 'value' in error ? `: ${JSON.stringify(error.value ?? 'null')}` : '';
  const detail = error.detail === '' ? '' : `: ${error.detail}`;
  return `${error.path === '' ? '<nil>' : error.path}: ${error.fault}${value}${detail}`;
}
