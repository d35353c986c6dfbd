import type { JsonObject } from './json.ts';
import type { ResourcePath } from './request-path.ts';

export interface ApiRequest {
  readonly method: string;
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
  /** Without parameters. */
  readonly contentType: string;
  readonly userAgent: string;
  /** Who asks; undefined for a request without a token that is known. */
  readonly user: string | undefined;
}

export interface ApiAnswer {
  readonly code: number;
  readonly body: JsonObject;
  /** Texts for `Warning` headers. */
  readonly warnings?: readonly string[];
}
