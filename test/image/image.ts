import { z } from 'zod';

/** What an image says about itself; kept beside its files. */
export const imageConfig = z.strictObject({
  env: z.record(z.string(), z.string()),
  workingDir: z.string(),
  user: z.strictObject({ uid: z.int(), gid: z.int() }),
  entrypoint: z.array(z.string()),
  cmd: z.array(z.string()),
  labels: z.record(z.string(), z.string()),
  ports: z.array(z.int()),
});

/** An image whose files are in a folder of this machine. Paths in it are those inside the image. */
export interface Image extends Readonly<z.infer<typeof imageConfig>> {
  /** What stands for `/`. */
  readonly root: string;
}

/** The user that the image's process runs as here: only root can become another. */
export const userHere = ({ uid, gid }: Image['user']): { uid?: number; gid?: number } =>
  process.getuid?.() === 0 ? { uid, gid } : {};
