/** Whether there is a process of this id. @throws TypeError for what is no id */
export function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) throw new TypeError(`${pid} is no process id`);
  return signalIfRunning(pid, 0);
}

/** Whether there was a process of this id to send the signal to. */
export function signalIfRunning(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
