/** What the Dockerfile may consist of. Values may still hold `${NAME}`. */
export type Instruction =
  | { readonly kind: 'FROM'; readonly image: string; readonly stage: string | undefined }
  | { readonly kind: 'ARG'; readonly name: string; readonly value: string | undefined }
  | { readonly kind: 'ENV' | 'LABEL'; readonly entries: readonly (readonly [string, string])[] }
  | { readonly kind: 'WORKDIR'; readonly path: string }
  | CopyInstruction
  | { readonly kind: 'RUN'; readonly command: string }
  | { readonly kind: 'USER'; readonly uid: number; readonly gid: number }
  | { readonly kind: 'EXPOSE'; readonly ports: readonly number[] }
  | { readonly kind: 'ENTRYPOINT' | 'CMD'; readonly argv: readonly string[] };

export interface CopyInstruction {
  readonly kind: 'COPY';
  /** A stage before this one; undefined: the build context. */
  readonly from: string | undefined;
  /** Permissions of everything that is copied. */
  readonly mode: number | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}
