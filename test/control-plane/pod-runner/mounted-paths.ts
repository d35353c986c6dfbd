/** Which folder of this machine stands for which path of the container. */
export type MountedPaths = readonly { readonly mountPath: string; readonly folder: string }[];

/**
 * There is no mount namespace, so a value that names something below a mount path is made to name the folder here.
 * Only whole path segments at the beginning count; everything else stays as it is.
 */
export function onThisMachine(paths: MountedPaths, value: string): string {
  const longestFirst = [...paths].sort((a, b) => b.mountPath.length - a.mountPath.length);
  for (const { mountPath, folder } of longestFirst) {
    const prefix = mountPath.replace(/\/$/, '');
    if (value === prefix) return folder;
    if (value.startsWith(`${prefix}/`)) return folder + value.slice(prefix.length);
  }
  return value;
}
