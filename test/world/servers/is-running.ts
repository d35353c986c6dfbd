/** Whether a process of ours has this id; one of somebody else took it after ours had ended. @throws TypeError for what is no id */
export const isRunning = (pid: number): boolean => signalIfRunning(pid, 0);

/** Whether there was a process of ours to send the signal to. @throws TypeError for what is no id */
export function signalIfRunning(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) throw new TypeError(`${pid} is no process id`);
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (['ESRCH', 'EPERM'].includes(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  }
}
