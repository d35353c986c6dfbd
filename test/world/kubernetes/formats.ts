import { isIP, isIPv4, isIPv6 } from 'node:net';

const maximumInt32 = 2 ** 31;

/** Formats that kube-apiserver enforces on strings; any other format is only a remark. */
const stringFormats: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) =>
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i.test(text) &&
    !Number.isNaN(Date.parse(text)),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) => /^[+-]?(\d+(\.\d+)?(ns|us|µs|ms|s|m|h|d|w))+$|^0$/.test(text),
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: (text) => isIP(text.split('/')[0] ?? '') !== 0 && /\/\d{1,3}$/.test(text),
  uri: (text) => URL.canParse(text),
  hostname: (text) =>
    text.length <= 253 &&
    /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\.?$/i.test(text),
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
};

export function hasFormat(value: unknown, format: string): boolean {
  if (typeof value === 'string') return stringFormats[format]?.(value) ?? true;
  if (typeof value !== 'number') return true;
  if (format === 'int32') return value >= -maximumInt32 && value < maximumInt32;
  return format !== 'int64' || Math.abs(value) <= 2 ** 63;
}
