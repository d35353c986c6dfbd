import { Trouble } from '../errors.ts';
import { Secret } from '../secret.ts';

/** What a log line may say of an error: libraries hang requests, answers and causes with secrets on theirs. */
interface LoggedError {
  readonly name: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: string;
  readonly stack?: string;
}

/** Lengths in UTF-16 code units; parts above are cut off, and it is said how much. */
const longestText = 1_000;
const longestStack = 4_000;
const mostItems = 30;
const deepest = 4;

/**
 * A value as it may stand in a log line: a few levels of plain objects and lists, short texts, numbers. Names in forged
 * requests can neither fill the disk nor play tricks with a terminal. An object of a class is shown by the name of the
 * class only, because nobody knows what it carries.
 */
export function loggable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return shortened(value, longestText);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return logged(value);
  if (depth >= deepest) return '[deeper]';
  if (Array.isArray(value)) return items(value, depth);
  if (isPlain(value)) return fields(value, depth);
  return value instanceof Secret || value instanceof Date ? value : `[${value.constructor.name}]`;
}

function items(list: readonly unknown[], depth: number): unknown[] {
  const shown = list.slice(0, mostItems).map((item) => loggable(item, depth + 1));
  return list.length > mostItems ? [...shown, `[${list.length - mostItems} more]`] : shown;
}

function fields(object: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(object);
  const shown: Record<string, unknown> = {};
  for (const [key, value] of entries.slice(0, mostItems)) {
    shown[shortened(key, longestText)] = loggable(value, depth + 1);
  }
  if (entries.length > mostItems) shown['more'] = entries.length - mostItems;
  return shown;
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const logged = (error: Error): LoggedError => {
  const speaks = saysNoValues(error);
  return {
    name: shortened(error.name, longestText),
    ...(speaks ? { message: shortened(error.message, longestText) } : {}),
    ...fieldOf(error, 'reason'),
    ...fieldOf(error, 'code'),
    ...(error.stack === undefined ? {} : { stack: stackOf(error.stack, speaks) }),
  };
};

const fieldOf = (error: Error, key: 'reason' | 'code'): object => {
  const value: unknown = key in error ? Object.getOwnPropertyDescriptor(error, key)?.value : undefined;
  return typeof value === 'string' ? { [key]: shortened(value, longestText) } : {};
};

/**
 * Our own messages, those of the language about names in the code, and those of the system about files and addresses.
 * Any other may repeat what somebody choked on: a parser its text, PostgreSQL a value, Node an argument.
 */
const saysNoValues = (error: Error): boolean =>
  error instanceof Trouble ||
  'syscall' in error ||
  (!('code' in error) &&
    [Error, TypeError, RangeError, ReferenceError].some((one) => error.constructor === one));

/** Without the message, which a stack begins with. */
const stackOf = (stack: string, withMessage: boolean): string => {
  const frames = withMessage ? stack : stack.slice(Math.max(0, stack.search(/^ {4}at /m)));
  return shortened(withMessage || /^ {4}at /.test(frames) ? frames : '', longestStack);
};

/** Control characters, line separators and marks that turn the direction of writing: JSON lets most of them through. */
const unprintable = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const shortened = (text: string, longest: number): string => {
  const short = text.length > longest ? `${text.slice(0, longest)} [${text.length - longest} more]` : text;
  return short.replace(unprintable, '\ufffd');
};
